import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLog } from '../../../src/common/observability/log.js';
import { loadSettings } from '../../../src/common/config/settings.js';
import { SecretScreen } from '../../../src/common/screening/secret-screen.js';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { ChatClient } from '../../../src/modules/memory/candidates/extraction/chat-client.js';
import { ExtractorService } from '../../../src/modules/memory/candidates/extraction/extractor.service.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { CANDIDATES, EXTRACT, extract, promote, secrets } from './given.js';
import { type ChatServer, startChat } from './lying-model.js';

const memories = (...list: object[]) => JSON.stringify({ memories: list });
const said = (quote: string, value = quote) => ({ entity: 'person:ada', key: 'said', value, quote, confidence: 0.9 });

/** The extractor alone, as the daemon has it. */
function makeExtractor(url?: string): ExtractorService {
  const settings = loadSettings({
    NODE_ENV: 'test',
    ...(url ? { SVCD_EXTRACT_URL: url } : {}),
    SVC_LOG_LEVEL: 'silent',
  });
  return new ExtractorService(new SecretScreen(), new ChatClient(settings), makeLog(settings, 'daemon'));
}

/** Numbers that are the same in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const PARTS = [
  ...[
    'Ada',
    'Grace Hopper',
    'I',
    'We',
    'The deadline',
    'Our API',
    'My',
    "Bob's",
    'user:',
    'Ada:',
    'To do:',
    'Decision:',
  ],
  ...['prefer', 'prefers', 'decided to', 'lives in', 'is', 'are', 'uses', 'must', 'was born on', 'favourite editor is'],
  ...[
    'tea',
    'PostgreSQL',
    'London',
    '2026-01-31',
    '12 March 2026',
    'the red one, or so',
    'äöü ß',
    '你好。',
    '👩‍💻',
    '\u202e',
    '  ',
  ],
  ...[
    '.',
    '!',
    '?',
    '\n',
    '\r\n',
    '\n- [ ] ',
    '\n> ',
    ', ',
    '; ',
    ' ',
    ' ',
    ' ',
    'e.g. ',
    'Dr. ',
    '…',
    '\t',
    '\u2028',
    '([{',
    '\\',
  ],
];

const randomText = (next: (below: number) => number): string =>
  Array.from({ length: 5 + next(40) }, () => PARTS[next(PARTS.length)]! + (next(2) ? ' ' : '')).join('');

async function checkQuotes(extractor: ExtractorService, text: string): Promise<number> {
  const masked = await extractor.mask(text);
  const { found } = await extractor.extract(masked, 'default', 'source');
  for (const { evidence, value, screened } of found) {
    const { start, end, quote, quote_blake3 } = evidence;
    if (screened.length === 0 && text.slice(start, end) !== quote)
      expect([text, text.slice(start, end)]).toEqual([text, quote]);
    if (quote_blake3 !== blake3Digest(quote)) expect(quote_blake3).toBe(blake3Digest(quote));
    if (!quote.replace(/\s+/gu, ' ').toLowerCase().includes(value.replace(/\s+/gu, ' ').toLowerCase()))
      expect([quote, value]).toEqual([quote, 'stands in it']);
  }
  return found.length;
}

describe('every quote', () => {
  it('stands in the text, in 10,000 random ones', { timeout: 240_000 }, async () => {
    const extractor = makeExtractor();
    const next = random(7);
    let found = 0;
    for (let i = 0; i < 10_000; i++) found += await checkQuotes(extractor, randomText(next));
    expect(found).toBeGreaterThan(5_000);
  });

  it('stands in the text, whatever a model says of 500', { timeout: 120_000 }, async () => {
    const next = random(11);
    const lie = (text: string): string => {
      const [from, to] = [next(text.length), next(text.length)];
      const true_ = text.slice(Math.min(from, to), Math.max(from, to));
      const lies = [
        said(true_),
        said(`${true_}!?`),
        said('Nobody said this.'),
        said(true_, 'Nobody said this.'),
        { quote: 7 },
      ];
      return memories(...lies, null as never, { ...said(true_), entity: 'svc:own' }, said('\ud800'));
    };
    const chat = await startChat(lie);
    const extractor = makeExtractor(chat.url);
    for (let i = 0; i < 500; i++) await checkQuotes(extractor, randomText(next));
    expect(chat.asked).toHaveLength(500);
    await chat.close();
  });
});

describe('without a model', () => {
  it('takes at most 50 ms for 4 KiB, in 95 of 100', { timeout: 60_000 }, async () => {
    const extractor = makeExtractor();
    const next = random(3);
    const times: number[] = [];
    for (let i = 0; i < 220; i++) {
      let text = '';
      while (text.length < 4_096) text += randomText(next);
      const begun = performance.now();
      const masked = await extractor.mask(text.slice(0, 4_096));
      await extractor.extract(masked, 'default', 'source');
      times.push(performance.now() - begun);
    }
    const p95 = times.slice(20).sort((a, b) => a - b)[189]!;
    process.stdout.write(`extraction of 4 KiB: p95 ${p95.toFixed(1)} ms\n`);
    // A machine under load is slower; what is never forgiven is a pattern that goes back and forth.
    expect(p95).toBeLessThan(50 * 4);
  });

  it.each<[string, string]>([
    ['one letter', 'a'.repeat(2 ** 20)],
    ['spaces', ' '.repeat(2 ** 20)],
    ['quotation marks', '> '.repeat(2 ** 19)],
    ['names', 'Ada Ada '.repeat(2 ** 17)],
    ['short sentences', 'I prefer tea. '.repeat(70_000)],
    ['dates', '2026-01-31 '.repeat(90_000)],
    ['beginnings of tokens', '-eyJ'.repeat(2 ** 18)],
    ['assignments', 'password:'.repeat(110_000)],
    // A pattern that goes back and forth would take days: the time of the test is over before.
  ])('reads a MiB of %s to its end', async (_what, text) => {
    const extractor = makeExtractor();
    expect(await extractor.extract(await extractor.mask(text), 'default', 'source')).toBeDefined();
  });
});

describe('a daemon', () => {
  let daemon: TestDaemon;
  let chat: ChatServer;
  let call: DaemonCall;
  const lines: string[] = [];
  beforeAll(async () => {
    chat = await startChat(() => 503);
    const env = {
      SVCD_AUTO_CAPTURE: '1',
      SVCD_EXTRACT_URL: chat.url,
      SVCD_EXTRACT_MODEL: 'liar',
      SVCD_EXTRACT_TIMEOUT_MS: '500',
    };
    const log = makeLog(loadSettings({ NODE_ENV: 'test', SVC_LOG_LEVEL: 'debug' }), 'daemon');
    const keep = (...words: unknown[]) => void lines.push(JSON.stringify(words));
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level] = keep;
    daemon = await startDaemon({ env, log });
    call = daemon.as({ scopes: 'facts:write facts:read query:read', tenant: 'acme' });
  });
  afterAll(async () => {
    await daemon.close();
    await chat.close();
  });

  it('takes from a model what the text says, and counts the rest', async () => {
    chat.answer = () => memories(said('Tea is what Ada drinks', 'Tea'), said('Coffee is what Ada drinks'));
    const { candidates, dropped, note } = await extract(call, 'Tea is what Ada drinks, mostly');
    expect([dropped, note]).toEqual([1, null]);
    expect(candidates.find(({ key }: any) => key === 'said')).toMatchObject({
      ...{ entity: 'person:ada', value: 'Tea', evidence: [{ start: 0, quote: 'Tea is what Ada drinks' }] },
      extractor: { name: 'model', model: 'liar', prompt_hash: expect.stringMatching(/^blake3:/) },
    });
  });

  it.each<[string, ChatServer['answer']]>([
    ['is not served', () => 503],
    ['hangs', () => 'hang'],
    ['answers no JSON', () => 'certainly! here you go'],
    ['answers other JSON', () => '{"memories": 7}'],
    ['answers a list', () => '[]'],
    ['answers null', () => 'null'],
    ['answers too much', () => 'x'.repeat(5 * 1024 * 1024)],
  ])('answers by patterns alone where the model %s, and says so', async (what, answer) => {
    chat.answer = answer;
    const { candidates, note } = await extract(call, `Grace prefers ${what.replaceAll(' ', '-')}.`);
    expect(candidates).toMatchObject([{ extractor: { name: 'patterns', pattern: 'prefers' } }]);
    expect(note).toMatch(/^patterns alone: the model /);
  });

  it('keeps no credential anywhere: not in the database, the log, an event, the answer, nor with the model', async () => {
    chat.answer = (text) => memories(said(text.slice(0, 200)));
    const of = (secret: string) => secret.split('\n').map((line) => line.match(/[A-Za-z0-9+/_.-]{16,}/g)?.at(-1) ?? '');
    const texts: string[] = [];
    for (const [kind, secret] of secrets()) {
      const core =
        secret.includes(': ') || secret.includes('= ')
          ? secret
              .split(/[:=] "?/)
              .at(-1)!
              .replace(/"$/, '')
          : secret;
      const text = `Remember to rotate it, the ${kind} is ${secret} for now.\nDecision: use ${secret}`;
      const found = await extract(call, text, {
        session_id: secret,
        operation_id: secret.length < 100 ? `${kind} ${secret}` : kind,
      });
      expect([kind, found.candidates.flatMap(({ screened }: any) => screened).length > 0]).toEqual([kind, true]);
      for (const { candidate_id: id } of found.candidates.filter(({ candidate_id }: any) => candidate_id)) {
        await call('PATCH', `${CANDIDATES}/${id}`, { key: `k ${secret}`.slice(0, 256) });
        const refused = await promote(call, id, { reviewer: 'ada' });
        expect([kind, refused.status, refused.obstacle]).toEqual([kind, 422, 'secret_found']);
        await call('POST', `${CANDIDATES}/${id}/reject`, { reason: `it was ${secret}` });
      }
      texts.push(
        ...of(core).filter((part) => part.length >= 14),
        ...(core.length >= 14 && !core.includes('\n') ? [core] : []),
      );
      expect([kind, texts.some((part) => JSON.stringify(found).includes(part))]).toEqual([kind, false]);
    }
    const tables = await daemon.database.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' where c.relkind = 'r'`,
    );
    for (const { name } of tables) {
      const rows = await daemon.database.query(
        `select r::text as row, encode(convert_to(r::text, 'UTF8'), 'escape') from ${name} r`,
      );
      const stored = JSON.stringify(rows);
      expect([
        name,
        texts.filter((part) => stored.includes(part) || stored.includes(Buffer.from(part).toString('hex'))),
      ]).toEqual([name, []]);
    }
    expect(texts.filter((part) => lines.some((line) => line.includes(part)))).toEqual([]);
    expect(texts.filter((part) => chat.asked.some((asked) => asked.includes(part)))).toEqual([]);
  });

  it('does not grow by what it said itself, in 1,000 turns', { timeout: 240_000 }, async () => {
    chat.answer = () => 503;
    const tenant = daemon.as({ scopes: 'facts:write facts:read query:read', tenant: 'loop' });
    await tenant('PUT', '/v1/facts', { entity: 'notes', key: 'n1', value: 'The gate code of the office is 4711.' });
    const first = await extract(tenant, 'Ada prefers tea. We decided to use Rust. Bob lives in Rome.');
    for (const { candidate_id } of first.candidates) await promote(tenant, candidate_id);
    const count = async () =>
      (
        await daemon.database.query<{ n: number }>(
          `select (select count(*) from fact where tenant_id = 'loop') + (select count(*) from candidate where tenant_id = 'loop') as n`,
        )
      )[0]!.n;
    const before = await count();
    const { facts } = (await tenant('GET', '/v1/facts')).body;
    const { candidates } = (await tenant('GET', `${CANDIDATES}?status=promoted`)).body;
    const recalled = [
      ...candidates.map(({ evidence }: any) => evidence[0].quote),
      ...facts.map(({ value }: any) => value),
    ];
    for (let turn = 0; turn < 1_000; turn++) {
      const { status, body } = await tenant('POST', EXTRACT, { text: recalled.join('\n') });
      expect([turn, status, body.written, body.candidates.map(({ resolution }: any) => resolution)]).toEqual([
        ...[turn, 200, 0],
        ['duplicate', 'duplicate', 'duplicate', 'duplicate'],
      ]);
    }
    expect(await count()).toEqual(before);
  });
});
