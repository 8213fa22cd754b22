import { Injectable } from '@nestjs/common';
import type { JsonSchema } from '../../../common/fields/fields.js';

/** What a kind of entity asks of payloads. */
export interface KindRule {
  /** Of its payloads, as GET /v1/kinds/{kind} shows it. */
  schema: JsonSchema;
  /**
   * @param where the path of the payload in the request
   * @param named the path of the id; that of an address unless given
   * @returns the payload as it is stored @throws ValidationFailed
   */
  prepare(id: string, payload: unknown, where: string, named?: string): Promise<unknown>;
}

/** Kinds that a module of the product owns: what is stored under them has the form that it gives. */
@Injectable()
export class KindRules {
  private readonly rules = new Map<string, KindRule>();

  register(kind: string, rule: KindRule): void {
    if (this.rules.has(kind)) throw new Error(`the kind ${kind} has a rule already`);
    this.rules.set(kind, rule);
  }

  schemaOf(kind: string): JsonSchema | undefined {
    return this.rules.get(kind)?.schema;
  }

  /** @throws ValidationFailed where the payload is not as its kind asks */
  async prepare(kind: string, id: string, payload: unknown, where: string, named?: string): Promise<unknown> {
    const rule = this.rules.get(kind);
    return rule ? rule.prepare(id, payload, where, named) : payload;
  }
}
