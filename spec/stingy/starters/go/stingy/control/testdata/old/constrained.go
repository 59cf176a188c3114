//go:build !never
// +build !never

package old

func Sends() int {
	c := make(chan int, 1)
	c <- 7
	return <-c
}
