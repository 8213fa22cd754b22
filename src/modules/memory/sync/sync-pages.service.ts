import { Injectable } from '@nestjs/common';
import { HEX_DIGEST } from '../../../evidence/digest-forms.js';
import { decodeCursor, encodeCursor } from '../../../common/fields/cursor.js';
import { readAll } from '../../../common/fields/read-each.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { lengthOfVector, MAX_TEXT, SyncContentsService, type WholeVersion } from './sync-contents.service.js';
import { named, pageDigest, unnamed } from './sync-digests.rules.js';
import { arePartsOf, isTarget, keyOf } from './sync-ids.rules.js';
import { SyncIndexService } from './sync-index.service.js';
import { type PageStart, SyncPagesStore } from './sync-pages.store.js';
import type { KeptVersion } from './sync-record.types.js';
import { GrowingRoot } from './sync-root.rules.js';
import { recordOf, wholeRecordOf } from './sync.views.js';
import {
  type CollectionDiff,
  type CollectionPage,
  type CollectionQuery,
  type DiffRequest,
  KnownRecord,
} from './sync.dto.js';
import type { Collection, SyncReach } from './sync.types.js';

/** A writer that is there between the look of the index and that of the page. */
const ATTEMPTS = 3;
const START = { key: '', digest: '' };

/** Pages of collections, and what of given records a caller does not have. */
@Injectable()
export class SyncPagesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly index: SyncIndexService,
    private readonly pages: SyncPagesStore,
    private readonly contents: SyncContentsService,
  ) {}

  /** @throws ValidationFailed for a cursor of another list */
  async page(
    tenantId: string,
    reach: SyncReach,
    collection: Collection,
    query: CollectionQuery,
  ): Promise<CollectionPage> {
    const { start, growing } = startOf(query);
    const { limit, include_content } = query;
    const { versions, isMore, position } = await this.consistently(tenantId, async () => {
      const tenant = await this.index.read();
      const found = await this.pages.page(collection, reach, start, limit + 1);
      const read = await this.wholeOf(found.slice(0, limit), include_content);
      const taken = read.versions.length;
      return { ...read, isMore: taken < found.length, position: tenant.position };
    });
    const items = versions.map(({ version, content }) => ({
      ...(include_content ? wholeRecordOf(version, content) : recordOf(version)),
      position: version.position,
    }));
    for (const { version } of versions) growing?.add(Buffer.from(version.digest, 'hex'));
    const last = versions.at(-1)?.version;
    return {
      ...{ schema: 'svc.sync_page/1', tenant_id: tenantId, collection, items, count: items.length },
      next_cursor: isMore && last ? cursorAfter(last, growing) : null,
      has_more: isMore,
      position: isMore && growing === undefined && last ? last.position : position,
      page_digest: named(
        pageDigest(
          tenantId,
          collection,
          versions.map(({ version }) => version.digest),
        ),
      ),
      root_so_far: growing ? named(growing.root) : null,
    };
  }

  /** @throws ValidationFailed naming the item that is no id of the collection */
  async diff(
    tenantId: string,
    reach: SyncReach,
    collection: Collection,
    request: DiffRequest,
  ): Promise<CollectionDiff> {
    const items = await readAll(KnownRecord, request.items, 'body.items');
    const keys = items.map(({ id }, place) => keyOfId(collection, id, `body.items[${place}].id`));
    const { versions, isCut } = await this.consistently(tenantId, async () => {
      const known = new Set(items.flatMap(({ digests }) => digests));
      const found = await this.pages.ofKeys(collection, reach, keys);
      const wanted = found.filter(({ digest }) => !known.has(named(digest)));
      const read = await this.wholeOf(wanted, request.include_content);
      return { ...read, versions: { all: found, missing: read.versions }, isCut: read.versions.length < wanted.length };
    });
    const here = new Set(versions.all.map(({ digest }) => digest));
    const unknown = items
      .map(({ id, digests }) => ({ id, digests: digests.filter((digest) => !here.has(unnamed(digest))) }))
      .filter(({ digests }) => digests.length > 0);
    const last = versions.missing.at(-1)?.version.key;
    return {
      ...{ schema: 'svc.sync_diff/1', tenant_id: tenantId, collection, unknown },
      missing: versions.missing.map(({ version, content }) =>
        request.include_content ? wholeRecordOf(version, content) : recordOf(version),
      ),
      next_item: isCut && last !== undefined ? Math.max(1, keys.indexOf(last)) : null,
    };
  }

  private async wholeOf(found: readonly KeptVersion[], withContent: boolean) {
    if (withContent) return this.contents.read(found, MAX_TEXT);
    const versions = withinText(found);
    return { versions: versions.map((version): WholeVersion => ({ version, content: undefined })), isBehind: false };
  }

  /** Reads again where a local writer was there meanwhile, at last while writers wait. */
  private async consistently<T extends { isBehind: boolean }>(tenantId: string, read: () => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
      await this.index.open(tenantId);
      const result = await this.tenancy.run(tenantId, read);
      if (!result.isBehind) return result;
    }
    return this.tenancy.run(tenantId, async () => {
      await this.index.settle();
      return read();
    });
  }
}

/** As many as an answer without content holds by their vectors, which may be long where many servers write. */
function withinText(versions: readonly KeptVersion[]): readonly KeptVersion[] {
  let text = 0;
  const end = versions.findIndex((version) => (text += lengthOfVector(version)) > MAX_TEXT);
  return end < 0 ? versions : versions.slice(0, Math.max(1, end));
}

function startOf({ cursor, since }: CollectionQuery): { start: PageStart; growing: GrowingRoot | undefined } {
  if (since !== undefined) {
    const [position] = decodeCursor(cursor, ['integer']) ?? [since];
    return { start: { position }, growing: undefined };
  }
  const place = decodeCursor(cursor, ['text', 'text', 'text']);
  if (!place) return { start: START, growing: GrowingRoot.empty() };
  const [key, digest, text] = place;
  const growing = GrowingRoot.parse(text);
  if (!growing || !isDigest(key) || !isDigest(digest))
    throw invalid('query.cursor', 'is not a cursor of this list; leave it out to start at the first page');
  return { start: { key, digest }, growing };
}

const isDigest = (text: string): boolean => HEX_DIGEST.test(text);

const cursorAfter = ({ key, digest, position }: KeptVersion, growing: GrowingRoot | undefined): string =>
  encodeCursor(growing ? [key, digest, growing.toText()] : [position]);

function keyOfId(collection: Collection, id: readonly string[], path: string): string {
  const target = collection === 'tombstones' ? id[0] : collection;
  const parts = collection === 'tombstones' ? id.slice(1) : id;
  if (!isTarget(target) || !arePartsOf(target, parts))
    throw invalid(path, `is no id of ${collection}; docs/formats/sync.md has their parts`);
  return keyOf(target, parts);
}
