import { expect } from 'vitest';
import type { DaemonCall } from './daemon.js';

/** The body of an answer that succeeded; the failure of the test says what it was refused for. */
export async function sendOk(by: DaemonCall, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await by(method, path, body);
  expect([path, answer.status < 300, answer.body?.detail]).toEqual([path, true, undefined]);
  return answer.body;
}
