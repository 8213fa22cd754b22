import type { ReasoningEntry } from './timelines.dto.js';
import type { Finding, Severity } from './workbench.types.js';

type Entry = Pick<ReasoningEntry, 'source' | 'id' | 'kind' | 'subject' | 'actor' | 'facts' | 'at'>;

/** What of a timeline did not go as it was meant to: failed steps, refused calls, rejected gates. */
export function findingsOfTimeline(entries: readonly Entry[]): Finding[] {
  return entries.flatMap((entry): Finding[] => {
    const found = readingOf(entry);
    if (!found) return [];
    const { source, id, kind, subject, actor, at } = entry;
    return [
      {
        ...{ ...found, subject },
        evidence: [{ kind: source, ref: id, detail: `${kind} by ${actor ?? 'nobody named'} at ${at}` }],
      },
    ];
  });
}

function readingOf({ source, kind, facts }: Entry): { id: string; severity: Severity; fix: string } | undefined {
  if (source === 'step' && (facts.status === 'error' || facts.status === 'denied'))
    return { id: 'timeline.step_failed', severity: 'warn', fix: 'Look at the step, and at what came before it' };
  if (source === 'decision' && kind === 'shield.deny')
    return { id: 'timeline.call_refused', severity: 'warn', fix: `The rule ${String(facts.rule)} refused it` };
  if (source === 'gate' && (kind === 'gate.rejected' || kind === 'gate.lapsed'))
    return { id: 'timeline.gate_refused', severity: 'info', fix: 'Ask for the change again where it is still wanted' };
  if (source === 'receipt' && kind === 'hold.refused_deletion')
    return { id: 'timeline.deletion_refused', severity: 'warn', fix: 'A legal hold keeps it: GET /v1/legal-holds' };
  return undefined;
}
