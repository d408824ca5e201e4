// The link to the engine: commands out, messages in.
//
// A page that a server serves sends each command as a request and hears events of other tabs and of searches
// that run. A page that was shared as a file has the recorded run in itself and answers from it; what needs
// the program is refused with a sentence that says so.

import { Recorded } from "./recorded.js";

// Of these commands only the last one counts: the text was typed on.
const SUPERSEDED = ["validate", "complete"];

// The link of this page. `hear` gets messages that no command of this tab asked for.
export function connect(hear, status) {
  const recorded = document.getElementById("recorded");
  return recorded ? new Recorded(JSON.parse(recorded.textContent)) : new Server(hear, status);
}

// The engine carries out one command at a time, so one request is under way at a time. A browser has few
// connections to a server: this leaves one for `cancel`, however much is typed while a search runs.
class Server {
  constructor(hear, status) {
    this.isLive = true;
    this.status = status;
    this.lastId = 0;
    this.waiting = [];
    this.isSending = false;
    const events = new EventSource("events");
    events.onopen = () => status(true);
    events.onerror = () => status(false);
    events.onmessage = (event) => hear(JSON.parse(event.data));
  }

  // Sends a command; the message that answers it, or an error message.
  send(command) {
    if (SUPERSEDED.includes(command.command)) this.supersede(command.command);
    return new Promise((resolve) => {
      this.waiting.push({ command, resolve });
      this.sendNext();
    });
  }

  supersede(name) {
    const isOlder = ({ command }) => command.command === name;
    for (const { resolve } of this.waiting.filter(isOlder)) resolve({ message: "superseded" });
    this.waiting = this.waiting.filter((entry) => !isOlder(entry));
  }

  async sendNext() {
    if (this.isSending || this.waiting.length === 0) return;
    this.isSending = true;
    const { command, resolve } = this.waiting.shift();
    resolve(await this.request(command));
    this.isSending = false;
    this.sendNext();
  }

  async request(command) {
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
    return fetch("cancel", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{}",
    });
  }
}
