//! kube's `Controller` on a watch of ours, with a reconciler that goes on until it is told how to end.

use std::{
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::{FutureExt, StreamExt, channel::mpsc, channel::oneshot};
use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use kube::runtime::{
    Config, WatchStreamExt,
    controller::Action,
    reflector,
    watcher::{self, Event},
};
use serde_json::{Value, json};
use tokio::task::{JoinError, JoinHandle};

use crate::{
    limiter::Scripted,
    protocol::{Answer, Failure, Options, Request},
    time::Counted,
};

type Watch = mpsc::UnboundedReceiver<watcher::Result<Event<ConfigMap>>>;

/// It can be called from any task.
#[derive(Clone)]
pub struct Controller {
    events: mpsc::UnboundedSender<watcher::Result<Event<ConfigMap>>>,
    context: Arc<Context>,
    running: Arc<Mutex<Running>>,
}

struct Running {
    concurrency: u16,
    watch: Option<Watch>,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
}

/// What reconciler and error policy share.
struct Context {
    under_way: Mutex<Vec<Run>>,
    limiter: Scripted,
}

struct Run {
    key: String,
    end: oneshot::Sender<Ending>,
}

type Ending = Result<Action, Failed>;

#[derive(Debug)]
struct Failed {
    for_good: bool,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it did not work out")
    }
}

impl std::error::Error for Failed {}

impl Controller {
    pub fn new(options: &Options) -> Result<Self, Failure> {
        let workers = options.max_concurrent_reconciles.unwrap_or(1);
        let concurrency = u16::try_from(workers)
            .map_err(|_| Failure::unsupported(format!("a controller with a concurrency of {workers}")))?;
        let (events, watch) = mpsc::unbounded();
        for event in [Event::Init, Event::InitDone] {
            let _ = events.unbounded_send(Ok(event)); // the watch is here
        }
        let context = Context { under_way: Mutex::default(), limiter: Scripted::new(options.rate_limiter.clone()) };
        let running = Running { concurrency, watch: Some(watch), stop: None, task: None };
        Ok(Self { events, context: Arc::new(context), running: Arc::new(Mutex::new(running)) })
    }

    pub fn start(&self) {
        let mut running = self.running.lock().unwrap();
        let Some(watch) = running.watch.take() else { return };
        let (reader, writer) = reflector::store();
        let (stop, stopping) = oneshot::channel();
        running.stop = Some(stop);
        let results = kube::runtime::Controller::for_stream(watch.reflect(writer).applied_objects(), reader)
            .with_config(Config::default().concurrency(running.concurrency))
            .graceful_shutdown_on(stopping.map(|_| ()))
            .run(
                |object, context| Counted(Box::pin(reconcile(object, context))),
                error_policy,
                self.context.clone(),
            );
        running.task = Some(tokio::spawn(Counted(Box::pin(results.for_each(|_| async {})))));
    }

    pub fn stop(&self) {
        if let Some(stop) = self.running.lock().unwrap().stop.take() {
            let _ = stop.send(()); // unless it has stopped by itself
        }
    }

    /// How its stream has come to its end, if it has, and nobody has been told.
    pub fn end(&self) -> Option<Result<(), JoinError>> {
        let mut running = self.running.lock().unwrap();
        let end = running.task.as_mut()?.now_or_never()?;
        running.task = None;
        Some(end)
    }

    pub fn call(&self, request: &Request) -> Answer {
        let item = request.item.as_deref().unwrap_or_default();
        match request.op.as_str() {
            "add" => {
                self.add(item);
                Ok(Value::Null)
            }
            "reconciles" => Ok(json!(self.reconciles())),
            "finish" => Ok(json!(self.finish(item, &request.kind, request.ns))),
            op => Err(Failure::unsupported(format!("{op} among calls that are made at once"))),
        }
    }

    /// The object with this key has changed. Nobody may be watching any more.
    fn add(&self, key: &str) {
        let metadata = ObjectMeta { name: Some(key.to_owned()), ..ObjectMeta::default() };
        let object = ConfigMap { metadata, ..ConfigMap::default() };
        let _ = self.events.unbounded_send(Ok(Event::Apply(object)));
    }

    fn reconciles(&self) -> Vec<String> {
        self.context.under_way.lock().unwrap().iter().map(|run| run.key.clone()).collect()
    }

    /// Ends the run of this key that has gone on longest; false if none can end so.
    fn finish(&self, key: &str, kind: &str, after: i64) -> bool {
        let ending = match kind {
            "ok" => Ok(Action::await_change()),
            "error" => Err(Failed { for_good: false }),
            "terminal" => Err(Failed { for_good: true }),
            "requeue_after" if after > 0 => Ok(Action::requeue(Duration::from_nanos(after.unsigned_abs()))),
            _ => return false,
        };
        let mut under_way = self.context.under_way.lock().unwrap();
        let Some(longest) = under_way.iter().position(|run| run.key == key) else { return false };
        under_way.remove(longest).end.send(ending).is_ok()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

async fn reconcile(object: Arc<ConfigMap>, context: Arc<Context>) -> Ending {
    let key = key(&object);
    let (end, ended) = oneshot::channel();
    context.under_way.lock().unwrap().push(Run { key: key.clone(), end });
    let ending = ended.await.expect("whoever drops the other end drops this one before");
    if ending.is_ok() {
        context.limiter.forget(&key);
    }
    ending
}

/// kube leaves it to its user what becomes of a failure.
fn error_policy(object: Arc<ConfigMap>, failed: &Failed, context: Arc<Context>) -> Action {
    if failed.for_good { Action::await_change() } else { Action::requeue(context.limiter.when(&key(&object))) }
}

fn key(object: &ConfigMap) -> String {
    object.metadata.name.clone().unwrap_or_default()
}
