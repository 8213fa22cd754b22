import { documentIdOf } from '../../../common/contract/document-ids.js';
import type { AnswerItem } from '../agent-answer.js';
import { idOf } from '../agent-ids.rules.js';
import type { Servers } from '../servers.js';
import { changedPart } from './changed-part.rules.js';

/** Of a text that changed, what is shown. */
interface ChangedText {
  chunkId: string | null;
  newChunkId: string | null;
  corpusId: string;
  docId: string;
  title: string | null;
  oldText: string | null;
  newText: string | null;
}

/** Of what GET /v1/home/:agentId/changes lists, what is shown. */
export interface HomeChange {
  type: 'alert' | 'answer' | 'proof';
  at: string;
  alert: {
    change: string;
    watchId: string;
    targetType: string;
    targetId: string;
    note: string | null;
    corpusId: string | null;
    docId: string | null;
    texts: ChangedText[];
  } | null;
  answer: { answerId: string; version: number; retiredVersion: number } | null;
  proof: { jobId: string; status: string; verdict: string; subject: { type: string; id: string } } | null;
}

export interface ChangesPage {
  changes: HomeChange[];
  next_cursor: string | null;
}

export const changesOf = async (
  agentId: string,
  query: { since?: string | undefined; limit: number; cursor?: string | undefined },
  servers: Servers,
): Promise<ChangesPage> =>
  (await servers.call<ChangesPage>('api', 'GET /v1/home/:agentId/changes', { params: { agentId }, query })).body;

export function changeItem({ type, at, alert, answer, proof }: HomeChange): AnswerItem {
  const when = at.slice(0, 16).replace('T', ' ');
  if (alert)
    return { text: [`${when} ${headOf(alert)}`, ...alert.texts.map(lineOfText)].join('\n'), data: dataOf(alert) };
  if (answer) {
    const id = idOf('answer', answer.answerId);
    return { text: `${when} ${id} has version ${answer.version} now`, data: { type, id } };
  }
  const id = idOf('proof', proof!.jobId);
  const { subject, status, verdict } = proof!;
  return {
    text: `${when} ${id} of ${subject.type} ${subject.id}: ${status === 'failed' ? 'failed' : verdict}`,
    data: { type, id, verdict },
  };
}

type Alert = NonNullable<HomeChange['alert']>;

function headOf({ change, targetType, targetId, note, corpusId, docId }: Alert): string {
  const document =
    corpusId === null || docId === null ? '' : ` in ${idOf('document', documentIdOf({ corpusId, docId }))}`;
  return `${change}${document} (watched: ${targetType} ${targetId}${note === null ? '' : `, ${note}`})`;
}

/** Where both are there, the lines that differ: read has the whole. */
function lineOfText({ chunkId, newChunkId, ...texts }: ChangedText): string {
  const part = changedPart(texts.oldText ?? '', texts.newText ?? '');
  const [oldText, newText] = [texts.oldText && part.before, texts.newText && part.now];
  const before = oldText === null ? [] : [`  was [${chunkId}]: ${oldText}`];
  const now = newText === null ? ['  now: nothing stands there'] : [`  now [${newChunkId}]: ${newText}`];
  return [...before, ...now].join('\n');
}

const dataOf = ({ change, watchId, texts }: Alert): object => ({
  ...{ type: 'alert', change, watch_id: idOf('watch', watchId) },
  passages: texts.map(({ chunkId, newChunkId }) => ({ id: chunkId, new_id: newChunkId })),
});
