import { Injectable } from '@nestjs/common';
import type { ReceiptEntry } from '../../../common/evidence-log/audit-trail.js';
import type { JsonSchema } from '../../../common/fields/fields.js';
import type { Entity } from './graph.types.js';

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
  /** The receipt of a version that is stored, or of a deletion (D40); its event is that of every entity. */
  receiptOf(version: VersionOfKind): ReceiptEntry;
}

/** A version of an entity, as its receipt names it. */
export type VersionOfKind = Pick<Entity, 'id' | 'version' | 'payload' | 'isDeleted'>;

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

  /** Whether versions of the kind have receipts. */
  hasReceipts(kind: string): boolean {
    return this.rules.has(kind);
  }

  /** undefined: versions of the kind have none. */
  receiptOf(kind: string, version: VersionOfKind): ReceiptEntry | undefined {
    return this.rules.get(kind)?.receiptOf(version);
  }

  /** @throws ValidationFailed where the payload is not as its kind asks */
  async prepare(kind: string, id: string, payload: unknown, where: string, named?: string): Promise<unknown> {
    const rule = this.rules.get(kind);
    return rule ? rule.prepare(id, payload, where, named) : payload;
  }
}
