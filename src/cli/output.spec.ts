import { afterEach, expect, it, vi } from 'vitest';
import { print, table, tableTime, visible, type Line } from './output.js';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const HOSTILE = 'a\u001b[2Jb\u009b31m\u202ec\u2066\u007f\rd\u0000\u2028';
/** C0 but line feed, DEL, C1, and what turns the direction of text. */
const OBEYED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

function printed(options: { json?: boolean }, value: object, lines: () => readonly Line[]): string {
  let out = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  print(options, value, lines);
  return out;
}

it('shows what a terminal would obey, and leaves all other text as it is', () => {
  expect(visible(HOSTILE)).toBe('a\\u001b[2Jb\\u009b31m\\u202ec\\u2066\\u007f\\u000dd\\u0000\\u2028');
  const plain = 'naïve\tשלום 日本語 🗼\nsecond line';
  expect(visible(plain)).toBe(plain);
});

it('prints neither lines nor JSON with such characters, and JSON that reads as it was', () => {
  expect(printed({}, {}, () => [HOSTILE])).not.toMatch(OBEYED);
  const json = printed({ json: true }, { text: HOSTILE }, () => []);
  expect(json).not.toMatch(OBEYED);
  expect(JSON.parse(json)).toEqual({ text: HOSTILE });
});

it('lays rows out in columns under a header; no cell can begin a line of its own', () => {
  const rows = [
    ['default', 'team', tableTime(new Date('2026-01-02T03:04:05.678Z'))],
    ['a\nb', 'pro', ''],
    ['灯台', 'free', 'two places a sign'],
  ];
  expect(table(['TENANT', 'TIER', 'CREATED'], rows)).toEqual([
    { text: 'TENANT   TIER  CREATED', style: 'bold' },
    'default  team  2026-01-02T03:04:05Z',
    'a b      pro',
    '灯台     free  two places a sign',
  ]);
});

it('shows styles on a terminal alone, never through the text itself', () => {
  const styled = () => printed({}, {}, () => [{ text: `head ${HOSTILE}`, style: 'bold' }, 'plain']);
  vi.stubEnv('FORCE_COLOR', '0');
  expect(styled()).not.toMatch(OBEYED);
  vi.stubEnv('FORCE_COLOR', '1');
  vi.stubEnv('NO_COLOR', undefined);
  expect(styled()).toMatch(/^\u001b\[1mhead a\\u001b\[2J[^\u001b]*\u001b\[22m\nplain\n$/);
});
