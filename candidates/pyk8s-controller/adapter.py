"""The work queue of pyk8s-controller, by the names of the contract."""

from k8scontroller.workqueue import WorkQueue as Theirs

distribution = "pyk8s-controller"


class WorkQueue(Theirs):
    def __len__(self):
        return self.len()

    def shut_down(self):
        self.shutdown()

    def shutting_down(self):
        return super().shutting_down
