// The link to the engine: commands out, messages in.
//
// A page that a server serves sends each command as a request and hears events of other tabs and of
// searches that run. A page that was shared as a file has the recorded run in itself and answers from it;
// what needs the program is refused with a sentence that says so.

import { Recorded } from "./recorded.js";

// The link of this page. `hear` gets messages that no command of this tab asked for.
export function connect(hear, status) {
  const recorded = document.getElementById("recorded");
  return recorded ? new Recorded(JSON.parse(recorded.textContent)) : new Server(hear, status);
}

class Server {
  constructor(hear, status) {
    this.isLive = true;
    this.status = status;
    this.lastId = 0;
    const events = new EventSource("events");
    events.onopen = () => status(true);
    events.onerror = () => status(false);
    events.onmessage = (event) => hear(JSON.parse(event.data));
  }

  // Sends a command; the message that answers it, or an error message.
  async send(command) {
    this.lastId += 1;
    try {
      const response = await fetch("command", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ id: this.lastId, ...command }),
      });
      if (!response.ok) return { message: "error", text: (await response.text()).trim() };
      return await response.json();
    } catch {
      this.status(false);
      return { message: "error", text: "the server does not answer: has it been stopped?" };
    }
  }

  // Ends the search that runs, past the commands that wait.
  cancel() {
    return fetch("cancel", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
  }
}
