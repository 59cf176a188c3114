// In the frame that stands for a web worker where a page was opened from disk; see iframe-worker.js.
"use strict";
window.postMessage = (message, target) => parent.postMessage(message, target || "*");
window.importScripts = async (...addresses) => {
    for (const address of addresses) {
        await new Promise((loaded) => {
            const script = document.createElement("script");
            script.src = address;
            script.onload = loaded;
            document.body.append(script);
        });
    }
};
addEventListener("error", ({ error }) => {
    const filename = document.scripts[1].src.split("?")[0];
    parent.dispatchEvent(new ErrorEvent("error", { filename, error }));
});
