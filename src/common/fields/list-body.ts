import { Body, type PipeTransform, type Type } from '@nestjs/common';
import { ApiBody, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { invalid } from '../problem/house-problems.js';
import { readAs } from './contract.pipe.js';

/** A body that is a JSON array of one kind of object: each is read as the DTO, and what is wrong with one is told with its place (`body[3].name`). */
export function ListBody(type: Type<object>, { max }: { max: number }): ParameterDecorator {
  return (target, property, index) => {
    Body(new ListPipe(type, max))(target, property, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, property!)!;
    const schema = { type: 'array' as const, maxItems: max, items: { $ref: getSchemaPath(type) } };
    ApiExtraModels(type)(target, property, descriptor);
    ApiBody({ schema })(target, property!, descriptor);
  };
}

class ListPipe implements PipeTransform {
  constructor(
    private readonly type: Type<object>,
    private readonly max: number,
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
