import type { Page } from 'playwright-core';
import { quantile, toMicroseconds } from './measures.js';

/**
 * In the page, before its own scripts: how long after each wheel turn or key the next picture was there, and the
 * longest time in which the page did nothing else. An animation frame runs before a picture, a message after it.
 */
const PROBE = `
  globalThis.probe = { took: [], events: [], longest: 0 };
  const after = (event) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => probe.took.push(performance.now() - event.timeStamp);
    channel.port2.postMessage(0);
  });
  for (const type of ['wheel', 'keydown']) addEventListener(type, after, { capture: true, passive: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) probe.longest = Math.max(probe.longest, duration);
  }).observe({ type: 'longtask' });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) probe.events.push(duration);
  }).observe({ type: 'event', durationThreshold: 16 });
`;

export interface ProbeFigures {
  /** Inputs that were answered. */
  count: number;
  p50: number;
  p95: number;
  max: number;
  /** The longest task of the page's thread meanwhile; 0 where none took 50 ms. */
  longestTask: number;
  /** The slowest entry of Event Timing (keys and clicks; a browser has none of wheels). */
  slowestEvent: number;
  /** Milliseconds of each input, in their order. */
  samples: number[];
}

/** Fulfilled with the picture that has an element first. A locator would look again after up to half a second. */
const shown = (selector: string) => `
  globalThis.shown = new Promise((resolve) => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector(${JSON.stringify(selector)})) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(resolve));
    }).observe(document, { childList: true, subtree: true });
  });
`;

/** @param ready selects what shows that the page can be used: `shown` of the page waits for it */
export const installProbe = (page: Page, ready: string): Promise<unknown> =>
  page.addInitScript({ content: `${PROBE}${shown(ready)}` });

/** What the page answered while some work sent it input. */
export async function probe(page: Page, work: () => Promise<void>): Promise<ProbeFigures> {
  await page.evaluate('void (probe.took = [], probe.events = [], probe.longest = 0)');
  await work();
  await page.waitForTimeout(250);
  const { took, events, longest } = await page.evaluate<{ took: number[]; events: number[]; longest: number }>('probe');
  const sorted = took.toSorted((a, b) => a - b);
  return {
    count: took.length,
    ...{ p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), max: sorted.at(-1) ?? Number.NaN },
    ...{ longestTask: longest, slowestEvent: Math.max(0, ...events) },
    samples: took.map(toMicroseconds),
  };
}

/** Bytes of objects of the page that are alive: after a collection of garbage. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send('HeapProfiler.collectGarbage');
    await session.send('Performance.enable');
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'JSHeapUsedSize')!.value;
  } finally {
    await session.detach();
  }
}
