package endpointslice

import (
	"encoding/json"
	"math/big"
	"time"
)

// instant is a time as the protocol writes it: nanoseconds since the epoch, more of them than an int64 may hold, or null.
type instant time.Time

var second = big.NewInt(int64(time.Second))

func (i *instant) UnmarshalJSON(text []byte) error {
	var ns *big.Int
	if err := json.Unmarshal(text, &ns); err != nil || ns == nil {
		*i = instant{}
		return err
	}
	seconds, rest := new(big.Int).DivMod(ns, second, new(big.Int))
	*i = instant(time.Unix(seconds.Int64(), rest.Int64()))
	return nil
}

func (i instant) MarshalJSON() ([]byte, error) {
	t := time.Time(i)
	if t.IsZero() {
		return []byte("null"), nil
	}
	ns := new(big.Int).Mul(big.NewInt(t.Unix()), second)
	return ns.Add(ns, big.NewInt(int64(t.Nanosecond()))).MarshalJSON()
}
