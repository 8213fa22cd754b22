import { expect, it } from 'vitest';
import { findingsOfTimeline } from './timeline-findings.rules.js';

const entry = (
  source: 'receipt' | 'step' | 'decision' | 'gate',
  kind: string,
  facts: Record<string, unknown> = {},
) => ({
  ...{ source, kind, facts, id: 'i', subject: 's', actor: null, at: '2026-01-01T00:00:00.000Z' },
});

it('what failed or was refused is found, what went well is not', () => {
  const entries = [
    entry('receipt', 'fact.stored'),
    entry('step', 'tool', { status: 'ok' }),
    entry('step', 'tool', { status: 'error' }),
    entry('decision', 'shield.deny', { rule: 'kill_switch' }),
    entry('decision', 'shield.approval_required'),
    entry('gate', 'gate.approved'),
    entry('gate', 'gate.lapsed'),
    entry('receipt', 'hold.refused_deletion'),
  ];
  expect(findingsOfTimeline(entries).map(({ id }) => id)).toEqual([
    ...['timeline.step_failed', 'timeline.call_refused', 'timeline.gate_refused', 'timeline.deletion_refused'],
  ]);
});
