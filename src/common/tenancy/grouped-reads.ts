import { RequestGroups, takeWithin } from './request-groups.js';

/** A statement that reads the rows of many addresses, as one tenant sees them. */
export interface GroupedRead<Address, Found> {
  /** Addresses with one key are read once. */
  keyOf(address: Address): string;
  read(reader: string, addresses: readonly Address[]): Promise<Found>;
}

/** Addresses that go together, unless one request has more. */
const MAX_TOGETHER = 500;
/**
 * A statement that waits for the disk holds others up for so long, in milliseconds: then theirs is sent on another
 * connection.
 */
const AFTER_MS = 3;

interface Asked<Address> {
  readonly reader: string;
  readonly addresses: readonly Address[];
}

/**
 * Reads that wait while others of the same tenant are under way go together in the next statement. Each is answered
 * with what was read for all of them, by a statement that began after it asked.
 */
export class GroupedReads<Address, Found> {
  private readonly groups: RequestGroups<Asked<Address>, Found>;

  constructor(private readonly statement: GroupedRead<Address, Found>) {
    this.groups = new RequestGroups({
      take: (waiting) => takeWithin(waiting, [({ addresses }) => addresses.length, MAX_TOGETHER]),
      run: (asked) => this.readTogether(asked),
      waitsForNone: true,
      afterMs: AFTER_MS,
    });
  }

  find(reader: string, addresses: readonly Address[]): Promise<Found> {
    return this.groups.add(reader, { reader, addresses });
  }

  private async readTogether(asked: readonly Asked<Address>[]): Promise<Found[]> {
    const { keyOf } = this.statement;
    const addresses = new Map(asked.flatMap(({ addresses: some }) => some.map((one) => [keyOf(one), one])));
    const found = await this.statement.read(asked[0]!.reader, [...addresses.values()]);
    return asked.map(() => found);
  }
}
