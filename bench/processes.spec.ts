import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { memoryBelow, nameOf } from './processes.js';

it.runIf(existsSync('/proc/self/smaps_rollup'))('reads the memory of a process and of what is below it', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdout.write("up"); process.stdin.resume()']);
  try {
    await once(child.stdout, 'data');
    const found = memoryBelow(process.pid);
    const [own, below] = [process.pid, child.pid].map((pid) => found.find(({ id }) => id === pid)!);
    for (const { pss, rss } of [own!, below!]) {
      expect(pss).toBeGreaterThan(1);
      expect(rss).toBeGreaterThanOrEqual(pss);
    }
    expect(memoryBelow(child.pid!).map(({ id }) => id)).toEqual([child.pid]);
  } finally {
    child.kill('SIGKILL');
  }
  await once(child, 'close');
  expect(memoryBelow(child.pid!)).toEqual([]);
});

it.each([
  ['supervisor', ['/usr/bin/node', '/app/dist/main.js', 'start']],
  ['daemon', ['/usr/bin/node', '--enable-source-maps', '/app/dist/main.js', 'start', 'daemon']],
  ['postgres', ['/app/native/bin/postgres', '-D', '/data']],
  ['postgres: svc_app', ['postgres: svc_app svc 127.0.0.1(40000) idle']],
  ['postgres: checkpointer', ['postgres: checkpointer ']],
  ['postgres: io worker', ['postgres: io worker 1']],
  ['postgres: svc', ['postgres: svc svc [local] SELECT']],
  ['sh', ['/bin/sh', '-c', 'true']],
])('%s is named by its command line', (name, command) => {
  expect(nameOf(command)).toBe(name);
});
