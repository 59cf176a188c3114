//! Lets stingy judge the controller of kube-runtime over driver protocol 1.

mod burst;
mod controller;
mod limiter;
mod protocol;
mod time;

use std::{collections::VecDeque, io::stdin};

use controller::Controller;
use protocol::{Answer, Failure, Request, answer, identity};
use serde_json::{Value, json};
use time::Clock;

const OPS: [&str; 5] = ["add", "finish", "reconciles", "start", "stop"];

/// Standard input is read on the runtime's only thread: the clock moves by itself whenever the runtime is idle, and while
/// the driver waits for a request it must not be.
fn main() {
    let mut words = std::env::args().skip_while(|word| word != "-order").skip(1);
    let order = words.next().map_or(0, |seed| seed.parse().expect("-order takes a number"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime without input and output").block_on(async {
        time::throw_dice_from(order);
        let mut driver = Driver { clock: Clock::new(), controller: None, starting: None, order };
        for line in stdin().lines() {
            driver.serve(&line.expect("the runner writes UTF-8")).await;
        }
    });
}

struct Driver {
    clock: Clock,
    controller: Option<Controller>,
    starting: Option<Starting>,
    /// Where the dice are thrown from when nothing is done at once.
    order: u64,
}

/// A `start` that has not been answered, and all that its lane has been asked since.
struct Starting {
    request: Request,
    behind: VecDeque<Request>,
}

impl Driver {
    async fn serve(&mut self, line: &str) {
        match serde_json::from_str::<Request>(line) {
            Err(error) => answer(0, Err(Failure::senseless(error))),
            Ok(request) if OPS.contains(&request.op.as_str()) => self.call(request),
            Ok(request) => {
                let id = request.id;
                let last = request.op == "bye";
                answer(id, self.handle(request).await);
                if last {
                    std::process::exit(0);
                }
            }
        }
        time::settle().await;
        self.look_whether_it_has_stopped();
    }

    async fn handle(&mut self, request: Request) -> Answer {
        match request.op.as_str() {
            "hello" => Ok(identity(&OPS)),
            "new" => {
                self.controller = None; // even if this one is refused, no call may reach the one before
                self.starting = None;
                time::settle().await;
                if request.r#impl != "controller" {
                    return Err(Failure::unsupported(format!("impl {}", request.r#impl)));
                }
                self.controller = Some(Controller::new(&request.options)?);
                Ok(self.now())
            }
            "settle" => {
                time::settle().await;
                self.look_whether_it_has_stopped();
                Ok(self.now())
            }
            "advance" => {
                let span = u64::try_from(request.ns).map_err(|_| Failure::senseless("time does not go back"))?;
                self.clock.advance(span).await;
                self.look_whether_it_has_stopped();
                Ok(self.now())
            }
            "burst" => {
                time::throw_dice_from(request.seed);
                let history = self.burst(&request).await;
                time::throw_dice_from(self.order);
                history
            }
            "bye" => Ok(Value::Null),
            op => Err(Failure::unsupported(format!("op {op}"))),
        }
    }

    /// Lanes and the controller's own tasks go on in the order that the dice say, until none can.
    async fn burst(&mut self, request: &Request) -> Answer {
        let controller = self.controller.as_ref().ok_or_else(|| Failure::senseless("no candidate"))?;
        let calls = burst::run(&request.programs, controller).await?;
        if request.ns > 0 {
            self.clock.advance(request.ns.unsigned_abs()).await;
        }
        self.look_whether_it_has_stopped();
        Ok(json!({ "calls": calls }))
    }

    fn call(&mut self, request: Request) {
        if let Some(starting) = &mut self.starting
            && starting.request.lane == request.lane
        {
            starting.behind.push_back(request);
            return;
        }
        let Some(controller) = &self.controller else {
            return answer(request.id, Err(Failure::senseless("no candidate")));
        };
        match request.op.as_str() {
            "start" => {
                controller.start();
                self.starting = Some(Starting { request, behind: VecDeque::new() });
            }
            "stop" => {
                controller.stop();
                answer(request.id, Ok(Value::Null));
            }
            _ => answer(request.id, controller.call(&request)),
        }
    }

    /// `start` is answered when the controller's stream has come to its end.
    fn look_whether_it_has_stopped(&mut self) {
        let Some(end) = self.controller.as_ref().and_then(Controller::end) else { return };
        let Some(Starting { request, behind }) = self.starting.take() else { return };
        answer(request.id, end.map(|()| Value::Null).map_err(Failure::raised));
        behind.into_iter().for_each(|request| self.call(request));
    }

    fn now(&self) -> Value {
        json!({ "now_ns": self.clock.nanoseconds() })
    }
}
