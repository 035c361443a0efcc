// Plays any game on a Facedown server, at random: node bot.mjs http://localhost:8000 TABLE [NAME]
//
// Node 22 or newer needs nothing else; older ones take the package ws. It knows no rules: `actions` says what
// may be done, `waiting` who is asked. A command is sent again under its id until it is answered, so that it
// happens exactly once.
import { randomInt, randomUUID } from "node:crypto";

const missing = "bot.mjs: this needs Node 22 or newer, or the package ws beside bot.mjs: npm install ws";
const fail = () => process.exit(console.error(missing) ?? 1);
const Socket = globalThis.WebSocket ?? (await import("ws").catch(fail)).WebSocket;
const RETRY = ["rate_limited", "unavailable", "outcome_unknown"];
const [url, table, name = "Bot"] = process.argv.slice(2);

const response = await fetch(`${url}/v1/tables/${table}/seats`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ name, entropy: randomUUID() }),
});
if (!response.ok) throw new Error((await response.json()).message);
const { seat, token } = await response.json();

const one = (values) => values[randomInt(values.length)];
function pick({ one_of, some_of, min, max }) {
  if (one_of) return one(one_of);
  const rest = [...some_of];
  const number = min + randomInt(max - min + 1);
  return Array.from({ length: number }, () => rest.splice(randomInt(rest.length), 1)[0]);
}

let act = null; // the command that is not answered yet
let told;
function connect() {
  const socket = new Socket(`${url.replace("http", "ws")}/v1/ws`, ["facedown.v1.json"]);
  const send = (message) => socket.readyState === 1 && socket.send(JSON.stringify(message));
  let over = false;
  socket.onopen = () => send({ type: "attach", table, token });
  socket.onerror = () => {}; // a close follows
  socket.onclose = () => over || setTimeout(connect, 1000);
  socket.onmessage = ({ data }) => {
    if (over) return;
    const message = JSON.parse(data);
    if (message.type === "attached" || message.type === "update") told = message;
    else if (message.type === "detached" || RETRY.includes(message.code)) return socket.close();
    else if (message.type === "error") throw new Error(message.message);
    else if (act && message.id === act.id) act = null; // accepted; or rejected: the table had moved on
    if (["finished", "abandoned"].includes(told.status)) {
      over = true;
      console.log(JSON.stringify({ seat, result: told.view.result }));
      return socket.close();
    }
    if (act === null && told.waiting.includes(seat)) {
      const action = Object.entries(one(told.actions)).map(([key, it]) => [key, key === "type" ? it : pick(it)]);
      act = { type: "act", id: randomUUID(), table, action: Object.fromEntries(action) };
    } else if (act === null || message.type !== "attached") return;
    send(act);
  };
}
connect();
