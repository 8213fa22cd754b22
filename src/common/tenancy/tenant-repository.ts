import type {
  EntityMetadata,
  FindManyOptions,
  FindOptionsOrder,
  FindOptionsSelect,
  FindOptionsWhere,
  Repository,
  SelectQueryBuilder,
} from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import type { Tenancy } from './tenancy.js';
import type { TenantRow } from './tenant-row.js';

export type Where<Row> = Omit<FindOptionsWhere<Row>, 'tenantId'>;
/** Members of a row; a function gives an SQL expression: `() => 'now()'`. */
export type Values<Row> = Omit<QueryDeepPartialEntity<Row>, 'tenantId'>;

/** Rows that are read stay as they are until the unit of work ends: `share` for what others may read so too. */
export type RowLock = 'update' | 'no key update' | 'share';

const LOCKS = {
  update: 'pessimistic_write',
  'no key update': 'for_no_key_update',
  share: 'pessimistic_read',
} as const;

/** How a position is written, by the type of its column. A forged integer may be too large for the column. */
const POSITIONS: Record<string, (value: string) => string> = {
  timestamptz: (value) => `timestamptz 'epoch' + cast(${value} as float8) * interval '1 microsecond'`,
  integer: (value) => `cast(${value} as bigint)`,
  smallint: (value) => `cast(${value} as bigint)`,
};

/** Columns by which rows are sorted, the first one first. */
export type Order<Row> = { [Column in keyof Row & string]?: 'asc' | 'desc' };

export interface ListOptions<Row> {
  /** All columns in the same direction, where `after` is given. */
  order?: Order<Row>;
  /**
   * The last row of the page before: its values of the columns of `order`; a time in microseconds since 1970, since a
   * Date has no more than milliseconds.
   */
  after?: readonly (string | number)[] | undefined;
  /** How many rows at most. */
  take?: number;
  lock?: RowLock;
  /** Those that are read with the key; all unless given. */
  columns?: readonly (keyof Row & string)[];
}

/**
 * The rows of one entity that belong to the open unit of work's tenant. Every statement names the tenant, on top of
 * the policy of row-level security, since some policies also show rows that other tenants share.
 */
export class TenantRepository<Row extends TenantRow> {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly entity: new () => Row,
    /** The member that names the tenant; another one only to read what a policy shows to the tenant in it. */
    private readonly owner: keyof Row & string = 'tenantId',
  ) {}

  /** @returns undefined when there is no such row */
  async find(where: Where<Row>, lock?: RowLock): Promise<Row | undefined> {
    return (await this.rows.findOne(this.optionsOf(where, { lock }))) ?? undefined;
  }

  /** A filter that is undefined does not filter. */
  list(filter: Where<Row>, options: ListOptions<Row> = {}): Promise<Row[]> {
    return this.select('row', filter, options).getMany();
  }

  /** The same of some columns and the key alone: a page of rows whose other columns are large must not hold them. */
  listOnly<Name extends keyof Row & string>(
    columns: readonly Name[],
    filter: Where<Row>,
    options: ListOptions<Row>,
  ): Promise<Pick<Row, Name>[]> {
    return this.select('row', filter, { ...options, columns }).getMany();
  }

  count(where: Where<Row>): Promise<number> {
    return this.rows.countBy(this.ownOf(where));
  }

  has(where: Where<Row>): Promise<boolean> {
    return this.rows.existsBy(this.ownOf(where));
  }

  /** A query of more than equalities; it starts with what {@link list} finds. */
  select(alias: string, filter?: Where<Row>, options: ListOptions<Row> = {}): SelectQueryBuilder<Row> {
    const given = Object.entries(filter ?? {}).filter(([, value]) => value !== undefined);
    const { after, ...rest } = options;
    const query = this.rows.createQueryBuilder(alias);
    query.setFindOptions(this.optionsOf(Object.fromEntries(given) as Where<Row>, rest));
    return after ? startAfter(query, after, rest.order ?? {}) : query;
  }

  /** @returns the row as it was written, with what the database added */
  async insert(values: Values<Row>): Promise<Row> {
    return this.only(await this.write(this.insertOf(values)));
  }

  /** @returns undefined when a row with this key, or another unique one, is there */
  async insertNew(values: Values<Row>): Promise<Row | undefined> {
    return (await this.write(this.insertOf(values).orIgnore()))[0];
  }

  async insertAll(rows: Values<Row>[]): Promise<void> {
    if (rows.length > 0) await this.write(this.insertOf(...rows));
  }

  /** @returns those that were not there before */
  async insertAllNew(rows: Values<Row>[]): Promise<Row[]> {
    return rows.length === 0 ? [] : this.write(this.insertOf(...rows).orIgnore());
  }

  /** Inserts a row, or writes these members of the one with its key. */
  async put(values: Values<Row>, overwritten: (keyof Row & string)[]): Promise<Row> {
    const columnsOf = (names: string[]) => names.map((name) => this.metadata.findColumnWithPropertyName(name)!);
    const key = this.metadata.primaryColumns.map(({ databaseName }) => databaseName);
    const written = columnsOf(overwritten).map(({ databaseName }) => databaseName);
    return this.only(await this.write(this.insertOf(values).orUpdate(written, key)));
  }

  /** @returns the rows as they are now */
  update(where: Where<Row>, values: Values<Row>): Promise<Row[]> {
    const builder = this.rows.createQueryBuilder().update(this.entity);
    return this.write(builder.set(values as QueryDeepPartialEntity<Row>).where(this.ownOf(where)));
  }

  /** For many rows, or large ones: they are not read back. @returns how many there were */
  async updateMany(where: Where<Row>, values: Values<Row>): Promise<number> {
    return (await this.rows.update(this.ownOf(where), values as QueryDeepPartialEntity<Row>)).affected ?? 0;
  }

  /** @throws Error unless it is one row that is changed */
  async updateOne(where: Where<Row>, values: Values<Row>): Promise<Row> {
    return this.only(await this.update(where, values));
  }

  /** @returns how many there were @throws Error where nothing says which */
  async delete(where: Where<Row>): Promise<number> {
    if (Object.keys(where).length === 0) throw new Error(`which rows of ${this.metadata.tableName} are to be deleted?`);
    return (await this.rows.delete(this.ownOf(where))).affected ?? 0;
  }

  private get tenant(): string {
    return this.tenancy.tenant;
  }

  private get rows(): Repository<Row> {
    return this.tenancy.manager.getRepository(this.entity);
  }

  private get metadata(): EntityMetadata {
    return this.rows.metadata;
  }

  /** @throws Error for a member that is undefined: it would select nothing, or everything */
  private ownOf(where: Where<Row>): FindOptionsWhere<Row> {
    const missing = Object.entries(where).find(([, value]) => value === undefined);
    if (missing) throw new Error(`${this.metadata.tableName}.${missing[0]} is undefined`);
    return { ...where, [this.owner]: this.tenant };
  }

  private optionsOf(where: Where<Row>, { lock, ...options }: Omit<ListOptions<Row>, 'after'>): FindManyOptions<Row> {
    const { order, take, columns } = options;
    return {
      where: this.ownOf(where),
      order: order as FindOptionsOrder<Row>,
      take,
      ...(columns && { select: this.selectOf(columns) }),
      ...(lock && { lock: { mode: LOCKS[lock] } }),
    };
  }

  /** With the key: rows without it would be one. */
  private selectOf(columns: readonly string[]): FindOptionsSelect<Row> {
    const key = this.metadata.primaryColumns.map(({ propertyName }) => propertyName);
    return Object.fromEntries([...key, ...columns].map((name) => [name, true])) as FindOptionsSelect<Row>;
  }

  private insertOf(...rows: Values<Row>[]) {
    const own = rows.map((values) => ({ ...values, tenantId: this.tenant }) as QueryDeepPartialEntity<Row>);
    return this.rows.createQueryBuilder(this.metadata.tableName).insert().values(own).updateEntity(false);
  }

  /** Virtual columns too: what `returning *` leaves out. */
  private async write(builder: Returning): Promise<Row[]> {
    const { columns, tablePath } = this.metadata;
    const computed = columns.flatMap(({ query, databaseName, isSelect }) =>
      query && isSelect ? [`${query(tablePath)} as ${databaseName}`] : [],
    );
    const { raw } = await builder.returning(['*', ...computed].join(', ')).execute();
    return (raw as Record<string, unknown>[]).map((row) => this.toRow(row));
  }

  /** A row of the entity as a statement of one's own returned it, all columns by their names in the database. */
  toRow(raw: Record<string, unknown>): Row {
    const { driver } = this.rows.manager.connection;
    const row = this.rows.create();
    for (const column of this.metadata.columns)
      if (column.isSelect) column.setEntityValue(row, driver.prepareHydratedValue(raw[column.databaseName], column));
    return row;
  }

  private only(rows: Row[]): Row {
    const [row, other] = rows;
    if (!row || other)
      throw new Error(`${rows.length} rows of ${this.metadata.tableName} were written in place of one`);
    return row;
  }
}

interface Returning {
  returning(columns: string): { execute(): Promise<{ raw: unknown }> };
}

/**
 * Keyset: what follows the given row in this order, of whatever a query finds.
 * @throws Error where the order has two directions, or not as many columns as there are values
 */
export function startAfter<Row extends object>(
  query: SelectQueryBuilder<Row>,
  after: readonly (string | number)[],
  order: Order<Row>,
): SelectQueryBuilder<Row> {
  const { metadata } = query.expressionMap.mainAlias!;
  const names = Object.keys(order);
  const [direction, other] = new Set(Object.values(order));
  if (other !== undefined || names.length !== after.length)
    throw new Error(`${metadata.tableName} cannot be paged by ${names.join(', ')}`);
  const places = names.map((name, index) => {
    const type = metadata.findColumnWithPropertyName(name)!.type as string;
    return (POSITIONS[type] ?? ((value: string) => value))(`:after${index}`);
  });
  return query.andWhere(
    `(${names.map((name) => `${query.alias}.${name}`).join(', ')}) ${direction === 'desc' ? '<' : '>'} (${places.join(', ')})`,
    Object.fromEntries(after.map((value, index) => [`after${index}`, value])),
  );
}
