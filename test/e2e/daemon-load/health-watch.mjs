// Polls the health of a server in a process of its own until it gets a message; then reports the answers.
const [url] = process.argv.slice(2);
const statuses = new Set();
let slowestMs = 0;
let asked = 0;
let isOver = false;
process.once('message', () => (isOver = true));
while (!isOver) {
  const askedAt = performance.now();
  statuses.add(await fetch(`${url}/healthz`).then((answer) => answer.arrayBuffer().then(() => answer.status)));
  slowestMs = Math.max(slowestMs, Math.round(performance.now() - askedAt));
  asked += 1;
  await new Promise((resolve) => setTimeout(resolve, 50));
}
process.send({ statuses: [...statuses], slowestMs, asked });
process.disconnect();
