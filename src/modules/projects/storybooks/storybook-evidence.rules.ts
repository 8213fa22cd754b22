import { blake3Digest } from '../../../evidence/digest.js';
import { join, say } from './markdown-text.rules.js';
import type { Statement, StatementAnchor, StorybookSources } from './storybooks.types.js';

/** Everything that a storybook rests on, once, by kind and id: what it is, and where it is read. */
export function evidenceOf(sources: StorybookSources, anchors: readonly StatementAnchor[]): Statement[] {
  const stated = statedOf(sources);
  const unique = new Map(anchors.map((anchor) => [nameOf(anchor), anchor]));
  return [...unique]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, anchor]) => ({
      id: name,
      parts: stated.get(name) ?? WHERE[anchor.kind](anchor.id),
      anchors: [anchor],
    }));
}

export const nameOf = ({ kind, id }: StatementAnchor): string => `${kind}/${id}`;

const WHERE: Readonly<Record<StatementAnchor['kind'], (id: string) => string[]>> = {
  fact: (id) => say`A fact: GET /v1/facts/${id}.`,
  layer: (id) => say`A layer: GET /v1/facts/${id}.`,
  chunk: (id) => say`The passage ${id}.`,
  receipt: (id) => say`A receipt: GET /v1/receipts/${id}.`,
  work: (id) => say`A work item: GET /v1/work/${id}.`,
};

/** What is known of facts, layers and work items beyond their ids. */
function statedOf({ facts, layers, work }: StorybookSources): Map<string, string[]> {
  return new Map<string, string[]>([
    ...facts.map(({ factId, entity, key, version, value, isCut, receiptId }): [string, string[]] => [
      `fact/${factId}`,
      [
        say`Fact ${key} of ${entity} in version ${version}`,
        ...(isCut ? [] : [say`, ${blake3Digest(value)}`]),
        ...(receiptId === null ? [] : [say`, bound by receipt ${receiptId}`]),
        say`: GET /v1/facts/${factId}.`,
      ].reduce(join),
    ]),
    ...layers.map(({ factId, name, planeId, version, hash, receiptId }): [string, string[]] => [
      `layer/${factId}`,
      [
        say`Layer ${name} of ${planeId ?? 'the project'} in version ${version}, ${hash}`,
        ...(receiptId === null ? [] : [say`, bound by receipt ${receiptId}`]),
        say`: GET /v1/facts/${factId}.`,
      ].reduce(join),
    ]),
    ...work.map(({ workId, title, version }): [string, string[]] => [
      `work/${workId}`,
      say`Work item ${title} in version ${version}: GET /v1/work/${workId}.`,
    ]),
  ]);
}
