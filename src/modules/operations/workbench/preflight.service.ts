import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { namedPassport } from '../../../common/bearer-auth/named-passport.js';
import { invalidMembers, type Issue } from '../../../common/problem/common-problems.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { IntentsService } from '../../coordination/intents/intents.service.js';
import { LeasesService } from '../../coordination/leases/leases.service.js';
import type { LeaseRow } from '../../coordination/leases/leases.types.js';
import { readResource, type Resource } from '../../coordination/punchcards/resources.types.js';
import { counted, judge } from './judgement.rules.js';
import type { Preflight, PreflightIntent, PreflightLease, PreflightRequest } from './preflight.dto.js';
import { findingsOfPreflight, meeting, wordOf } from './preflight.rules.js';
import { MAX_FOUND, PreflightStore, type FoundDependant, type NamedPath, type NamingItem } from './preflight.store.js';

/** Intents that are compared with; a page of them. */
const MAX_INTENTS = 2_000;
const PAGE = 200;

type ActiveIntent = Awaited<ReturnType<IntentsService['listActive']>>['intents'][number];

/** What a change of some paths would meet: who holds them, who is about to change them, what depends on them. */
@Injectable()
export class PreflightService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: PreflightStore,
    private readonly leases: LeasesService,
    private readonly intents: IntentsService,
  ) {}

  /** @throws ValidationFailed for what is no path; PassportHeaderMismatch */
  async check(caller: DaemonCaller, request: PreflightRequest): Promise<Preflight> {
    const paths = readAll(request.paths);
    const holder = namedPassport(caller, request.by_passport, 'body.by_passport') ?? caller.principal;
    const active = await this.listIntents(caller, request);
    const found = await this.tenants.run(caller, undefined, () => this.find(paths));
    const leases = meetings(paths, found.live, ({ subject }) => subject, leaseOf(holder));
    const intents = active.flatMap((intent) => intent.paths.map((theirs) => ({ intent, theirs })));
    const announced = meetings(paths, intents, ({ theirs }) => theirs, intentOf);
    const shown = {
      leases: cut(leases),
      intents: cut(announced),
      work: cut(found.work),
      dependants: cut(found.dependants),
    };
    const isMore = [leases, announced, found.work, found.dependants].some(({ length }) => length > MAX_FOUND);
    return {
      schema: 'svc.workbench.impact-preflight/1',
      paths: paths.map(({ text }) => text),
      ...shown,
      truncated: isMore,
      ...judge(findingsOfPreflight(shown), summaryOf(shown)),
    };
  }

  private async find(paths: readonly Resource[]) {
    const named = paths.flatMap((path): NamedPath[] => {
      const word = wordOf(path);
      return word === undefined ? [] : [{ path: path.text, word }];
    });
    const work = (await this.store.listWork(named)).map(workOf);
    const near: FoundDependant[] = [
      ...(await this.store.listFacts(named)),
      ...(await this.store.listEntities(named)),
      ...(await this.store.listWaiting(work)),
    ];
    return { live: await this.leases.listLive('path'), work, dependants: nearestOf(near) };
  }

  private async listIntents(
    caller: DaemonCaller,
    { project_id, session_id }: PreflightRequest,
  ): Promise<ActiveIntent[]> {
    const found: ActiveIntent[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await this.intents.listActive(caller, {
        limit: PAGE,
        ...(project_id === undefined ? {} : { project_id }),
        ...(cursor ? { cursor } : {}),
      });
      found.push(...page.intents.filter((intent) => intent.session_id !== session_id));
      cursor = page.next_cursor;
    } while (cursor !== null && found.length < MAX_INTENTS);
    return found;
  }
}

const cut = <T>(all: readonly T[]): T[] => all.slice(0, MAX_FOUND);

/** @throws ValidationFailed naming each that is none */
function readAll(given: readonly string[]): Resource[] {
  const read = given.map(readResource);
  const issues = read.flatMap((one, index): Issue[] =>
    typeof one === 'string' ? [{ path: `body.paths[${index}]`, message: one }] : [],
  );
  if (issues.length > 0) throw invalidMembers(issues);
  return [...new Map((read as Resource[]).map((path) => [path.text, path])).values()];
}

const meetings = <T, V>(
  paths: readonly Resource[],
  others: readonly T[],
  pathOf: (one: T) => string,
  view: (path: string, one: T) => V,
): V[] => paths.flatMap((path) => meeting(path, others, pathOf).map((one) => view(path.text, one)));

const leaseOf =
  (holder: string) =>
  (path: string, { subject, mode, fence, holderPassport, heldBy, expiresAt }: LeaseRow): PreflightLease => ({
    ...{ path, resource: subject, mode, fence, holder_passport: holderPassport },
    own: holderPassport === holder || heldBy === holder,
    expires_at: expiresAt.toISOString(),
  });

const intentOf = (path: string, { intent, theirs }: { intent: ActiveIntent; theirs: string }): PreflightIntent => {
  const { session_id, by_passport, note, expires_at } = intent;
  return { path, theirs, session_id, by_passport, note, expires_at };
};

const workOf = ({ holder, ...item }: NamingItem) => ({ ...item, holder_passport: holder });

/** Each once a path, as near as it was found. */
function nearestOf(found: readonly FoundDependant[]): FoundDependant[] {
  const nearest = new Map<string, FoundDependant>();
  for (const one of found.toSorted((a, b) => a.distance - b.distance)) {
    const key = JSON.stringify([one.path, one.kind, one.ref]);
    if (!nearest.has(key)) nearest.set(key, one);
  }
  return [...nearest.values()];
}

const summaryOf = ({
  leases,
  intents,
  work,
  dependants,
}: Pick<Preflight, 'leases' | 'intents' | 'work' | 'dependants'>): string =>
  [
    counted(leases.length, 'lease'),
    counted(intents.length, 'intent'),
    counted(work.length, 'open item'),
    counted(dependants.length, 'dependant'),
  ].join(', ');
