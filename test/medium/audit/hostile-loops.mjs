// Sends a body in loops until its parent disconnects. node hostile-loops.mjs <url> <address> <loops> <members>
const [url, address, loops, members] = process.argv.slice(2);
const body = JSON.stringify(Object.fromEntries(Array.from({ length: Number(members) }, (_, n) => [`member${n}`, n])));
const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
const seen = {};

async function loop() {
  for (;;) {
    // A server that refuses before the body may end the connection while it is being sent.
    const status = await fetch(url, { method: 'POST', body, headers }).then(
      (response) =>
        response.arrayBuffer().then(
          () => response.status,
          () => response.status,
        ),
      () => 503,
    );
    seen[status] = (seen[status] ?? 0) + 1;
    process.send(seen, () => undefined);
  }
}
process.on('disconnect', () => process.exit(0));
await Promise.all(Array.from({ length: Number(loops) }, loop));
