import { Body, type PipeTransform, type Type } from '@nestjs/common';
import { invalid } from '../problem/common-problems.js';
import { readAs } from './contract.pipe.js';

/**
 * A body that is a JSON array of one kind of object: each is read as the DTO, and what is wrong with one is reported
 * with its place (`body[3].name`).
 */
export const ListBody = (type: Type<object>, { max }: { max: number }): ParameterDecorator =>
  Body(new ListPipe(type, max));

/** @throws ValidationFailed that names the item */
export class ListPipe implements PipeTransform {
  constructor(
    readonly type: Type<object>,
    readonly max: number,
  ) {}

  transform(value: unknown): object[] {
    if (!Array.isArray(value)) throw invalid('body', 'must be a JSON array');
    if (value.length > this.max)
      throw invalid('body', `holds ${value.length} items and may hold ${this.max}; send them in several requests`);
    return value.map((item: unknown, place) => {
      if (typeof item !== 'object' || item === null || Array.isArray(item))
        throw invalid(`body[${place}]`, 'must be a JSON object');
      return readAs(this.type, item, `body[${place}]`);
    });
  }
}
