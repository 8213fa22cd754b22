// Does what `nats request SUBJECT BODY --raw -H NAME:VALUE ...` of the NATS command line does, for where that is not installed.
import { parseArgs } from 'node:util';
import { connect, headers as makeHeaders } from '@nats-io/transport-node';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { raw: { type: 'boolean' }, header: { type: 'string', short: 'H', multiple: true, default: [] } },
});
const [command, subject, body] = positionals;
if (command !== 'request' || !values.raw) throw new Error('only nats request --raw');
const headers = makeHeaders();
for (const header of values.header) {
  const at = header.indexOf(':');
  headers.set(header.slice(0, at), header.slice(at + 1));
}
const connection = await connect({ servers: process.env.NATS_URL });
const answer = await connection.request(subject, body, { headers, timeout: 30_000 });
process.stdout.write(`${answer.string()}\n`);
await connection.close();
