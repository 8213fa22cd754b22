import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');

it('connections to a temporary tool service are held, counted and given back', { timeout: 180_000 }, () => {
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), 'bench'], { stdio: 'inherit' });
  const numbers = { sse: 5, streams: 3, seconds: 6, rounds: 1, settle: 0 };
  const options = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const args = [join(ROOT, 'dist-bench', 'bench', 'connections.js'), ...options, '--json'];
  const { rounds, ...circumstances } = JSON.parse(
    execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  const [round] = rounds;
  expect(circumstances).toMatchObject({
    ...{ format: 1, bench: 'connections', settings: numbers },
    ...{ at: expect.any(String), machine: { cores: expect.any(Number), load: { before: expect.any(Number) } } },
  });
  expect(round).toMatchObject({
    lost: 0,
    before: { sse: 0, streams: 0 },
    held: { sse: 5, streams: 3, residentMiB: expect.any(Number) },
    after: { sse: 0, streams: 0 },
  });
  expect(round.calls).toBeGreaterThanOrEqual(3);
});
