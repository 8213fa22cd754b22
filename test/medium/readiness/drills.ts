import { expect } from 'vitest';
import { GATE_NAMES } from '../../../src/modules/operations/readiness/readiness.types.js';
import { send } from '../../kit/app.js';

export interface Check {
  gate: string;
  ok: boolean;
  detail: string;
  samples?: string[];
}

/** A finding is cached for a moment, and what is watched in the background is looked at every few seconds. */
const TIMEOUT = { timeout: 60_000, interval: 200 };

/** The checks of one probe, held to what every probe must say. */
async function probe(url: string): Promise<Check[]> {
  const { status, body, headers } = await send(url, 'GET', '/readyz');
  const checks: Check[] = body.checks;
  expect(checks.map(({ gate }) => gate)).toEqual([...GATE_NAMES]);
  const ready = checks.every(({ ok }) => ok);
  expect([status, body.status, headers.get('retry-after')]).toEqual(
    ready ? [200, 'ready', null] : [503, 'not_ready', '1'],
  );
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  return checks;
}

const failing = (checks: Check[]) => checks.filter(({ ok }) => !ok);

/** Waits until exactly this gate fails. @returns what it says */
export async function untilFails(url: string, gate: string): Promise<Check> {
  await expect.poll(async () => failing(await probe(url)).map((check) => check.gate), TIMEOUT).toEqual([gate]);
  const [found] = failing(await probe(url));
  expect(found?.gate).toBe(gate);
  return found!;
}

/** Waits until all nine hold. */
export async function untilReady(url: string): Promise<void> {
  await expect.poll(async () => failing(await probe(url)), TIMEOUT).toEqual([]);
}

export const detailOf = async (url: string, gate: string): Promise<string> =>
  (await probe(url)).find((check) => check.gate === gate)!.detail;
