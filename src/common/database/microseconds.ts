import { VirtualColumn } from 'typeorm';

/** A time of the row in microseconds since 1970, for positions in lists: a Date has no more than milliseconds. */
export const Microseconds = (column: string): PropertyDecorator =>
  VirtualColumn('float8', { query: (row) => `(extract(epoch from ${row}.${column}) * 1000000)::float8` });
