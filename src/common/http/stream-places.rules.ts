/** How many streams a process keeps open. */
export interface StreamPlaces {
  readonly all: number;
  /** Of one caller in one tenant. */
  readonly ofCaller: number;
  /** The last of all are for tenants with fewer than `few`, so that one with many callers does not have them all. */
  readonly keptForFew: number;
  readonly few: number;
}

/** Streams that are open. */
export interface OpenStreams {
  readonly all: number;
  readonly ofTenant: number;
  readonly ofCaller: number;
}

/** Whose a stream is. */
export interface StreamOwner {
  readonly tenantId: string;
  readonly principal: string;
}

/** Whether there is a place for one more. */
export function mayOpenStream(open: OpenStreams, places: StreamPlaces): boolean {
  if (open.all >= places.all || open.ofCaller >= places.ofCaller) return false;
  return open.all < places.all - places.keptForFew || open.ofTenant < places.few;
}

/** A caller is a principal in a tenant: one of the same name in another tenant does not count against its limit. */
export function countStreams(open: readonly StreamOwner[], { tenantId, principal }: StreamOwner): OpenStreams {
  const ofTenant = open.filter((one) => one.tenantId === tenantId);
  const ofCaller = ofTenant.filter((one) => one.principal === principal);
  return { all: open.length, ofTenant: ofTenant.length, ofCaller: ofCaller.length };
}

/** Why an owner gets no further stream next to those that are open; undefined where it gets one. */
export function findNoPlace(
  open: readonly StreamOwner[],
  owner: StreamOwner,
  places: StreamPlaces,
): string | undefined {
  return mayOpenStream(countStreams(open, owner), places) ? undefined : placesSaid(places);
}

const placesSaid = ({ all, ofCaller, keptForFew, few }: StreamPlaces): string =>
  `A process keeps ${all} streams, ${ofCaller} of them for one caller, and the last ${keptForFew} for tenants with fewer than ${few}; close some`;
