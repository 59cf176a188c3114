"""Client of the Debug Adapter Protocol, as an editor has one."""

import json
import socket

import machine


class Client:
    """Connection to a debugger; each wait for it ends after ``cpu_s`` CPU-seconds."""

    def __init__(self, port, cpu_s=15):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=machine.patience(cpu_s))
        self._stream = self._socket.makefile("rwb")
        self._sent = 0
        self._unread = []

    def attach(self, breakpoints=None):
        """Attach with these breakpoints, as {file: [line]}, and let the program run."""
        self.ask("initialize", adapterID="stingy", pathFormat="path")
        self._send("attach", justMyCode=True)
        self.wait_for("event", "initialized")
        for file, lines in (breakpoints or {}).items():
            self.ask("setBreakpoints", source={"path": str(file)}, breakpoints=lines)
        self.ask("configurationDone")

    def ask(self, command, **arguments):
        """Send a request; return the body of its response."""
        self._send(command, **arguments)
        response = self.wait_for("response", command)
        assert response["success"], response
        return response.get("body")

    def wait_until_stopped(self):
        """Return the reason of the next stop, the thread, and its innermost frame; None if the program ends."""
        event = self.wait_for("event", "stopped", "terminated")
        if event["event"] == "terminated":
            return None
        body = event["body"]
        frame = self.ask("stackTrace", threadId=body["threadId"])["stackFrames"][0]
        return body["reason"], body["threadId"], frame

    def evaluate(self, expression, frame):
        return self.ask("evaluate", expression=expression, frameId=frame["id"])["result"]

    def local_variables(self, frame):
        """Return the values of a frame's local variables, by their names."""
        scope = self.ask("scopes", frameId=frame["id"])["scopes"][0]
        found = self.ask("variables", variablesReference=scope["variablesReference"])["variables"]
        return {it["name"]: it["value"] for it in found}

    def wait_for(self, kind, *names):
        """Return the first message of this kind, "event" or "response", with one of these names.

        A message is returned once.
        """
        while True:
            for message in self._unread:
                if message["type"] == kind and message.get("event", message.get("command")) in names:
                    self._unread.remove(message)
                    return message
            self._unread.append(self._read())

    def close(self):
        self._stream.close()
        self._socket.close()

    def _send(self, command, **arguments):
        self._sent += 1
        request = {"seq": self._sent, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(request).encode()
        self._stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._stream.flush()

    def _read(self):
        length = 0
        while line := self._stream.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name == b"Content-Length" else length
        assert length, "the debugger has closed the connection"
        return json.loads(self._stream.read(length))
