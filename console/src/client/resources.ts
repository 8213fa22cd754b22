/** Names of what screens show: the first part of each query's key. */
export type Resource = string;

/** What else changes with a kind of event than what the kind is named after. */
const ALSO: Record<string, readonly Resource[]> = {
  fact: ['facts', 'census', 'entities', 'receipts'],
  facts: ['facts', 'census', 'receipts'],
  // An engram is an entity of that kind.
  entity: ['entities', 'edges', 'engrams', 'receipts'],
  edge: ['edges', 'receipts'],
  memory: ['candidates', 'review', 'receipts'],
  candidate: ['candidates', 'review', 'facts', 'receipts'],
  gate: ['gates', 'review', 'work', 'receipts'],
  approval: ['approvals', 'review', 'receipts'],
  access_request: ['access-requests', 'review'],
  passport: ['passports', 'review', 'presence'],
  mint_request: ['passports', 'review'],
  work: ['work', 'receipts'],
  lease: ['work', 'punchcards', 'receipts'],
  punchcard: ['punchcards', 'receipts'],
  intent: ['intents'],
  observe: ['sessions', 'receipts'],
  session: ['sessions', 'receipts'],
  step: ['sessions', 'receipts'],
  incident: ['incidents', 'receipts'],
  hold: ['holds', 'receipts'],
  legal_hold: ['holds', 'receipts'],
  project: ['projects'],
  storybook: ['projects', 'storybooks'],
  dossier: ['projects', 'dossiers'],
  layer: ['projects', 'layers'],
  seat: ['seats'],
  key: ['keys'],
  peer: ['peers'],
  sync: ['peers', 'sync', 'facts'],
  credits: ['credits'],
  usage: ['cost'],
  integration: ['integrations'],
  studio: ['studio', 'engrams', 'layers'],
  engram: ['engrams', 'receipts'],
  case: ['cases', 'receipts'],
  ingest: ['documents'],
  document: ['documents'],
  answer: ['answers'],
  watch: ['answers', 'watches'],
};

/** @param kind of an event, as `fact.stored` */
export function resourcesOf(kind: string): readonly Resource[] {
  const subject = kind.split('.')[0]!;
  return ['overview', 'activity', subject, ...(ALSO[subject] ?? [])];
}
