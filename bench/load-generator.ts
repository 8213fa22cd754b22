import { Agent, request } from 'node:http';
import { answerPlan } from './child.js';
import { runClosedLoop } from './closed-loop.js';
import type { LoadPlan, LoadResult, PlannedRequest } from './load.types.js';

/** A process of its own that sends POST requests, so that sending does not share the server's thread. */
answerPlan<LoadPlan, LoadResult>(async (plan) => {
  const agent = new Agent({ keepAlive: true, maxSockets: plan.clients, scheduling: 'fifo' });
  try {
    return await runClosedLoop(plan, (number) => post(plan, agent, plan.requests[number % plan.requests.length]!));
  } finally {
    agent.destroy();
  }
});

/** Reads the answer to its end and throws it away, but for how it begins. */
function post({ url, answerBegins = '' }: LoadPlan, agent: Agent, { headers, body }: PlannedRequest): Promise<boolean> {
  return new Promise((resolve) => {
    const fail = (): void => resolve(false);
    const sent = request(url, { method: 'POST', agent, headers, timeout: 30_000 }, (response) => {
      let isGood = response.statusCode! < 300;
      response.once('data', (first: Buffer) => {
        isGood &&= first.subarray(0, answerBegins.length).toString('latin1') === answerBegins;
      });
      response.once('end', () => resolve(isGood));
      response.once('error', fail);
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', fail);
    sent.end(body);
  });
}
