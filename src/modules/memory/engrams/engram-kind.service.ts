import { Injectable, type OnModuleInit } from '@nestjs/common';
import { z } from 'zod';
import { invalid, invalidMembers } from '../../../common/problem/common-problems.js';
import { SecretScreen } from '../../../common/screening/secret-screen.js';
import { KindRules } from '../graph/kind-rules.service.js';
import { ENGRAM_PAYLOAD, readEngramPayload, type EngramPayload } from './engram-payload.rules.js';
import { maskedTexts } from './engram-screening.js';
import { versionReceipt } from './engrams.events.js';
import { ENGRAM_KIND } from './engrams.types.js';
import { readSkill } from './skill-file.rules.js';

/** Entities of the kind engram have the members of one, and no secrets in their texts. */
@Injectable()
export class EngramKindService implements OnModuleInit {
  constructor(
    private readonly kinds: KindRules,
    private readonly screen: SecretScreen,
  ) {}

  onModuleInit(): void {
    this.kinds.register(ENGRAM_KIND, {
      schema: z.toJSONSchema(ENGRAM_PAYLOAD, { io: 'input' }),
      prepare: (name, payload, where, named) => this.prepare(name, payload, where, named),
      receiptOf: versionReceipt,
    });
  }

  /** Whether it is one; what was stored under the kind before it had rules may be anything. */
  isEngram(name: string, payload: unknown): boolean {
    return !Array.isArray(readEngramPayload(name, payload, 'payload'));
  }

  /** The payload that a SKILL.md stands for. @throws Error saying what is wrong with it */
  readFile(name: string, text: string): EngramPayload {
    return readSkill(name, text).payload;
  }

  private async prepare(name: string, given: unknown, where: string, named?: string): Promise<unknown> {
    const payload = readEngramPayload(name, given, where, named);
    if (Array.isArray(payload)) throw invalidMembers(payload);
    const { screened: _before, ...rest } = payload;
    return this.mask(rest, where);
  }

  private async mask(payload: Omit<EngramPayload, 'screened'>, where: string): Promise<object> {
    const { texts, screened } = await maskedTexts(this.screen, payload);
    if (screened.length === 0) return payload;
    const masked = { ...payload, ...texts, screened };
    const { success, error } = ENGRAM_PAYLOAD.safeParse(masked);
    if (success) return masked;
    throw invalid(`${where}.${error.issues[0]!.path.join('.')}`, 'has secrets, and is too long once they are masked');
  }
}
