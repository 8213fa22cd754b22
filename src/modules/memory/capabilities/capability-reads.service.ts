import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import type { CapabilityList, CapabilityQuery, CapabilityRecord, CapabilityTree } from './capability-records.dto.js';
import type { CapabilityCoverage, CapabilityGaps, CapabilityPromises } from './capability-analyses.dto.js';
import type { AuditedCapability } from './capabilities.types.js';
import { coverageOf, gapsOf, isAskedFor, promisesOf, walk, type Step } from './capability-analyses.rules.js';
import { CapabilityAuditsService, unknown } from './capability-audits.service.js';
import { CapabilityRegistry } from './capability-registry.js';
import {
  auditOf,
  coverageViewOf,
  gapViewOf,
  pagingOf,
  promiseViewOf,
  recordOf,
  referenceOf,
} from './capabilities.views.js';

/** The capability registry, as the caller's tenant has audited it (memory-daemon.md 4.6; D45). */
@Injectable()
export class CapabilityReadsService {
  constructor(
    private readonly registry: CapabilityRegistry,
    private readonly audits: CapabilityAuditsService,
  ) {}

  async list(caller: DaemonCaller, query: CapabilityQuery): Promise<CapabilityList> {
    const { limit, cursor, promise, ...rest } = query;
    const filter = { ...rest, promise: promise === undefined ? undefined : BigInt(promise) };
    const found = (await this.readAll(caller)).filter((one) => isAskedFor(one, filter));
    const { page, next_cursor } = pageOf(found, { limit, cursor });
    return { schema: 'svc.capabilities/1', count: page.length, items: page.map(recordOf), ...pagingOf(next_cursor) };
  }

  /** @throws CapabilityUnknown */
  async read(caller: DaemonCaller, id: string): Promise<CapabilityRecord> {
    const { byId, downstream } = await this.registry.read();
    const found = byId.get(id);
    if (!found) throw unknown(id);
    const last = await this.audits.readLast(caller, id);
    return recordOf({ ...found, downstream: downstream.get(id) ?? [], audit: auditOf(last.get(id)) });
  }

  /** @throws CapabilityUnknown */
  async readTree(caller: DaemonCaller, id: string): Promise<CapabilityTree> {
    const root = await this.read(caller, id);
    const { byId, downstream } = await this.registry.read();
    const shown = (steps: Step[]) => steps.map((step) => ({ ...step, ...referenceOf(byId.get(step.id)!) }));
    return {
      schema: 'svc.capability_tree/1',
      root,
      upstream: shown(walk(id, (one) => byId.get(one)?.upstream ?? [])),
      downstream: shown(walk(id, (one) => downstream.get(one) ?? [])),
    };
  }

  /** Those without a test or an audit, or with one that failed. */
  async findGaps(caller: DaemonCaller, page: PageQuery): Promise<CapabilityGaps> {
    const found = (await this.readAll(caller)).filter((one) => gapsOf(one).length > 0);
    const count = (gap: string) => found.filter((one) => gapsOf(one).some((own) => own === gap)).length;
    const totals = { no_test: count('no_test'), no_audit: count('no_audit'), failed_audit: count('failed_audit') };
    const { page: shown, next_cursor } = pageOf(found, page);
    const gaps = shown.map((one) => gapViewOf(one, gapsOf(one)));
    const counts = { total: found.length, totals, count: gaps.length };
    return { schema: 'svc.capability_gaps/1', ...counts, gaps, ...pagingOf(next_cursor) };
  }

  async listPromises(caller: DaemonCaller, { limit, cursor }: PageQuery): Promise<CapabilityPromises> {
    const [after] = decodeCursor(cursor, ['text']) ?? [];
    const all = promisesOf(await this.readAll(caller)).map((one) => ({ ...one, key: keyOf(one.promise) }));
    const rest = all.filter(({ key }) => after === undefined || key > after);
    const { page, next_cursor } = takePage(rest, limit, ({ key }) => [key]);
    const promises = page.map(promiseViewOf);
    const counts = { total: all.length, count: promises.length };
    return { schema: 'svc.capability_promises/1', ...counts, promises, ...pagingOf(next_cursor) };
  }

  async measureCoverage(caller: DaemonCaller): Promise<CapabilityCoverage> {
    const all = await this.readAll(caller);
    const systems = [...new Set(all.map(({ system }) => system))].sort();
    return {
      schema: 'svc.capability_coverage/1',
      total: coverageViewOf(coverageOf(all)),
      systems: systems.map((system) => ({
        system,
        ...coverageViewOf(coverageOf(all.filter((one) => one.system === system))),
      })),
    };
  }

  /** In the order of their ids. */
  private async readAll(caller: DaemonCaller): Promise<AuditedCapability[]> {
    const { byId, downstream } = await this.registry.read();
    const last = await this.audits.readLast(caller);
    return [...byId.values()].map((one) => ({
      ...one,
      downstream: downstream.get(one.id) ?? [],
      audit: auditOf(last.get(one.id)),
    }));
  }
}

/** So that text is in the order of the numbers. */
const keyOf = (promise: bigint): string => String(promise).padStart(20, '0');

function pageOf<T extends { id: string }>(all: T[], { limit, cursor }: PageQuery) {
  const [after] = decodeCursor(cursor, ['text']) ?? [];
  const rest = after === undefined ? all : all.filter(({ id }) => id > after);
  return takePage(rest, limit, ({ id }) => [id]);
}
