import { Injectable } from '@nestjs/common';
import { invalidMembers, type Issue } from '../../../common/problem/common-problems.js';
import { AnswersService } from '../../knowledge/citations/answers.service.js';
import type { VisibleChunk } from '../../knowledge/citations/citations.types.js';
import type { Pin, PinTarget } from './continuity.types.js';
import type { PinSent } from './primitives.dto.js';

/** Makes pins of what was sent: finds what they hold on to, as it is now. Needs an open unit of work. */
@Injectable()
export class PinsService {
  constructor(private readonly answers: AnswersService) {}

  /**
   * @param before the pins of the version before: a passage among them stays pinned as it was, wherever it has gone
   * since
   * @throws ValidationFailed naming each pin that holds on to nothing
   */
  async resolve(sent: readonly PinSent[], before: readonly Pin[]): Promise<Pin[]> {
    const kept = new Map(before.map((pin) => [nameOf(pin), pin]));
    const chunks = await this.answers.findChunks(sent.flatMap(({ chunkId }) => chunkId ?? []));
    const issues: Issue[] = [];
    const pins: Pin[] = [];
    const seen = new Set<string>();
    for (const [index, pin] of sent.entries()) {
      const path = `body.pins[${index}]`;
      const known = kept.get(nameOf(pin));
      const target = await this.targetOf(pin, known, chunks);
      const issue = issueOf(pin, target, seen.has(nameOf(pin)));
      seen.add(nameOf(pin));
      if (issue) issues.push({ path: `${path}${issue.member}`, message: issue.message });
      else if (target) pins.push({ ...target, note: pin.note ?? null, pinnedAt: dateOf(target, known) });
    }
    if (issues.length > 0) throw invalidMembers(issues);
    return pins;
  }

  private async targetOf(
    { chunkId, answerId }: PinSent,
    known: Pin | undefined,
    chunks: ReadonlyMap<string, VisibleChunk>,
  ): Promise<PinTarget | undefined> {
    if (chunkId !== undefined && answerId !== undefined) return undefined;
    if (answerId !== undefined) {
      const found = await this.answers.findAnswer(answerId);
      return found && { answerId, answerVersion: found.answer.version };
    }
    if (known) return known;
    const chunk = chunkId === undefined ? undefined : chunks.get(chunkId);
    if (!chunk) return undefined;
    const { ownerTenantId, corpusId, docId, docVersion, content, contentHash } = chunk;
    return { chunkId: chunk.chunkId, ownerTenantId, corpusId, docId, docVersion, content, contentHash };
  }
}

const nameOf = ({ chunkId, answerId }: { chunkId?: string; answerId?: string }): string =>
  JSON.stringify([chunkId ?? null, answerId ?? null]);

/** A pin that holds on to the same as before was set before. */
const dateOf = (target: PinTarget, known: Pin | undefined): Date =>
  known && (!('answerId' in target) || ('answerId' in known && known.answerVersion === target.answerVersion))
    ? known.pinnedAt
    : new Date();

function issueOf(
  { chunkId, answerId }: PinSent,
  target: PinTarget | undefined,
  isRepeated: boolean,
): { member: string; message: string } | undefined {
  if ((chunkId === undefined) === (answerId === undefined))
    return { member: '', message: 'must have either chunkId or answerId' };
  const member = chunkId === undefined ? '.answerId' : '.chunkId';
  if (isRepeated) return { member, message: 'is pinned twice; leave one out' };
  if (target) return undefined;
  return chunkId === undefined
    ? { member, message: 'no answer with this answerId is recorded; POST /v1/citations records one' }
    : { member, message: 'no passage with this chunkId can be seen; take one of a retrieval' };
}
