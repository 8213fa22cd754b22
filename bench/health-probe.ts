import { setTimeout as sleep } from 'node:timers/promises';
import { answerPlan } from './child.js';

/** How long the health of a server is asked for, with what pause between two requests. */
export interface ProbePlan {
  url: string;
  seconds: number;
  everyMs: number;
}

/** Milliseconds of each answer, in their order; an answer other than 200 is an error. */
answerPlan(async ({ url, seconds, everyMs }: ProbePlan): Promise<number[]> => {
  const took: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const askedAt = performance.now();
    const answer = await fetch(`${url}/healthz`);
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`the health is ${answer.status}`);
    took.push(performance.now() - askedAt);
    await sleep(everyMs);
  }
  return took;
});
