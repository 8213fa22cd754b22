/** Names of what screens show: the first part of each query's key. */
export type Resource = string;

/**
 * What else changes with a kind of event than what the kind is named after, by its family (docs/events.md), or by the
 * family and the first word of what happened.
 */
export const ALSO: Readonly<Record<string, readonly Resource[]>> = {
  fact: ['facts', 'census', 'entities', 'receipts'],
  facts: ['facts', 'census', 'receipts'],
  // An engram is an entity of that kind.
  entity: ['entities', 'edges', 'engrams', 'receipts'],
  edge: ['edges', 'receipts'],
  memory: ['candidates', 'review', 'receipts'],
  candidate: ['candidates', 'review', 'facts', 'receipts'],
  gate: ['gates', 'review', 'work', 'receipts'],
  // Decisions of the shield come with every change: they are no reason to ask again what waits.
  'shield.approval': ['approvals', 'review', 'receipts'],
  access_request: ['access-requests', 'review'],
  passport: ['passports', 'review', 'presence'],
  work: ['work', 'receipts'],
  punchcard: ['punchcards', 'receipts'],
  intent: ['intents'],
  step: ['sessions', 'receipts'],
  session: ['sessions', 'receipts'],
  incident: ['incidents', 'receipts'],
  hold: ['holds', 'receipts'],
  project: ['projects'],
  plane: ['projects'],
  storybook: ['projects', 'storybooks'],
  dossier: ['projects', 'dossiers'],
  layer: ['projects', 'layers'],
  seat: ['seats'],
  api_key: ['keys'],
  peer_log: ['peers'],
  sync: ['peers', 'sync', 'facts'],
  credits: ['credits'],
  conversion: ['credits'],
  bundle: ['credits'],
  platform: ['credits'],
  usage: ['cost'],
  integration: ['integrations'],
  studio: ['studio', 'engrams', 'layers'],
  engram: ['engrams', 'receipts'],
  case: ['cases', 'receipts'],
  document: ['documents'],
  proof: ['answers', 'receipts'],
  answer: ['answers', 'receipts'],
  watch: ['answers', 'watches'],
};

/** @param kind of an event, as `fact.stored` */
export function resourcesOf(kind: string): readonly Resource[] {
  const [family, what = ''] = kind.split('.') as [string, string?];
  const named = [family, `${family}.${what.split('_')[0]}`];
  return ['overview', 'activity', family, ...named.flatMap((name) => ALSO[name] ?? [])];
}
