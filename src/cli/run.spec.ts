import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { STEPS } from '../modules/console/summary/onboarding-steps.js';
import { programOf } from './run.js';

const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];

it('takes the commands that the first steps of the console name', async () => {
  const lines = STEPS.flatMap(({ how }) => how.split('; ')).filter((how) => how.startsWith('svc '));
  expect(lines).toHaveLength(3);
  for (const line of lines) {
    const words = line.split(' ').slice(1);
    const program = await programOf([words[0]!]);
    for (const command of all(program)) command.exitOverride().action(() => undefined);
    await expect(program.parseAsync(words, { from: 'user' }), line).resolves.toBe(program);
  }
});
