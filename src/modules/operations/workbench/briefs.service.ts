import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import type { AssembledContext } from '../../memory/context/assembled-context.types.js';
import { ContextService } from '../../memory/context/context.service.js';
import type { Brief, BriefRequest, ContextPack, PackRequest } from './briefs.dto.js';
import { briefOf, findingsOfContext } from './briefs.rules.js';
import { counted, judge } from './judgement.rules.js';

/** Of whole items that fit a task: a text to begin with, or the items themselves (D46, D70). */
@Injectable()
export class BriefsService {
  constructor(private readonly contexts: ContextService) {}

  async brief(caller: DaemonCaller, request: BriefRequest): Promise<Brief> {
    const context = await this.contexts.assemble(caller, { ...request, details: true });
    const { items, context_hash } = context;
    const { text, order } = briefOf(context);
    return {
      schema: 'svc.workbench.brief/1',
      brief: text,
      sources: order.map(({ kind, id, hash, tokens, why }) => ({ kind, id, hash: hash!, tokens, why })),
      context_hash,
      ...judge(findingsOfContext(context), summaryOf(items.length, context)),
    };
  }

  /** @throws ValidationFailed for a kind that there is not */
  async pack(caller: DaemonCaller, request: PackRequest): Promise<ContextPack> {
    const context = await this.contexts.assemble(caller, { ...request, details: true });
    return {
      schema: 'svc.workbench.context-pack/1',
      context,
      ...judge(findingsOfContext(context), summaryOf(context.items.length, context)),
    };
  }
}

const summaryOf = (
  items: number,
  {
    total_tokens,
    token_budget,
    omitted_count,
  }: Pick<AssembledContext, 'total_tokens' | 'token_budget' | 'omitted_count'>,
): string => `${counted(items, 'item')} in ${total_tokens} of ${token_budget} tokens; ${omitted_count} left out`;
