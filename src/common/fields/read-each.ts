import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import { invalid } from '../problem/common-problems.js';
import { readAs } from './contract.pipe.js';

/** After so many objects other requests get their turn. */
const A_TURN = 200;

/**
 * Reads the objects of a list one by one, for members that are {@link ListReadLater} or stand in free JSON.
 * @param where the path of the list, for what is wrong with it
 * @param from the place of the first in that list, where it is read in parts
 * @throws ValidationFailed naming every member that is wrong with the first such object
 */
export async function* readEach<T extends object>(
  target: Type<T>,
  list: readonly unknown[],
  where: string,
  from = 0,
): AsyncGenerator<{ item: T; index: number; path: string }> {
  for (const [index, sent] of list.entries()) {
    const path = `${where}[${from + index}]`;
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) throw invalid(path, 'must be a JSON object');
    yield { item: readAs(target, sent, path), index, path };
    if (index % A_TURN === A_TURN - 1) await nextTurn();
  }
}

/** All of them. @throws ValidationFailed as {@link readEach} does */
export async function readAll<T extends object>(
  target: Type<T>,
  list: readonly unknown[],
  where: string,
): Promise<T[]> {
  const items: T[] = [];
  for await (const { item } of readEach(target, list, where)) items.push(item);
  return items;
}
