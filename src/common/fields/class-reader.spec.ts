import { describe, expect, it } from 'vitest';
import { ValidationFailed, type Issue } from '../problem/common-problems.js';
import { readAs } from './contract.pipe.js';
import {
  Documented,
  ExtraMembersAllowed,
  FreeObject,
  Integer,
  ListOf,
  ListReadLater,
  Nested,
  OneOf,
  Text,
} from './fields.js';

class Part {
  @Text({ about: 'A name.', min: 1, max: 3 })
  name!: string;

  @Nested({ about: 'A part of it.', type: () => Part, optional: true, nullable: true })
  part?: Part | null;
}

class Named {
  @Text({ about: 'A title.', pattern: /^[a-z]+$/ })
  title!: string;
}

class Whole extends Named {
  @Integer({ about: 'A count.', min: 1, max: 9, default: 5 })
  count!: number;

  @ListOf({ about: 'Parts.', type: () => Part, min: 1, max: 2 })
  parts!: Part[];

  @ListReadLater({ about: 'Parts.', type: () => Part, min: 1, max: 3 })
  later!: object[];

  @OneOf({ about: 'One of two.', types: [Part, Named] })
  either!: object;
}

@ExtraMembersAllowed()
class Open {
  @Nested({ about: 'A part.', type: () => Part, optional: true })
  part?: Part;
}

class Free {
  @FreeObject({ about: 'Anything.', optional: true })
  any?: object;

  @FreeObject({ about: 'Anything.', isReadLater: true, optional: true })
  later?: object;
}

class Shown {
  @Documented({ about: 'Not checked.', schema: {} })
  value!: unknown;
}

const WHOLE = { title: 'leave', parts: [{ name: 'a' }], later: [{}], either: {} };

/** What is wrong with it, one a line. */
function faultsOf(type: new () => object, plain: object): string[] {
  try {
    readAs(type, plain, 'body');
    return [];
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    return (error.facts.issues as Issue[]).map(({ path, message }) => `${path} ${message}`);
  }
}
const ofWhole = (members: object) => faultsOf(Whole, { ...WHOLE, ...members });

describe('the reader of a class', () => {
  it('makes an instance of it, and of the classes in it, with its defaults', () => {
    const whole = readAs(Whole, { ...WHOLE, parts: [{ name: 'a', part: { name: 'b', part: null } }] }, 'body');
    expect(whole).toBeInstanceOf(Whole);
    expect([whole.count, whole.later, whole.either]).toEqual([5, [{}], {}]);
    expect(whole.parts[0]).toBeInstanceOf(Part);
    expect(whole.parts[0]!.part).toBeInstanceOf(Part);
    expect(whole.parts[0]!.part!.part).toBeNull();
  });

  it('says what is missing once, its own members first', () => {
    expect(faultsOf(Whole, {})).toEqual([
      'body.parts is required',
      'body.later is required',
      'body.either is required',
      'body.title is required',
    ]);
  });

  it('names each rule that a value breaks, at every depth', () => {
    expect(ofWhole({ title: 5, count: 0.5, parts: [{ name: '' }, { name: 'long', part: 5 }] })).toEqual([
      'body.count count must be an integer number',
      'body.count count must not be less than 1',
      'body.parts[0].name name must be longer than or equal to 1 characters',
      'body.parts[1].name name must be shorter than or equal to 3 characters',
      'body.parts[1].part part must be an object',
      'body.parts[1].part nested property part must be either object or array',
      'body.title title must be a string',
      'body.title title must match /^[a-z]+$/ regular expression',
    ]);
  });

  it('refuses lists in place of objects and objects in place of lists', () => {
    expect(ofWhole({ parts: { name: 'a' } })).toEqual([
      'body.parts parts must be an array',
      'body.parts parts must contain at least 1 elements',
      'body.parts parts must contain no more than 2 elements',
    ]);
    expect(ofWhole({ parts: [[{}], null] })).toEqual([
      'body.parts each value in parts must be an object',
      'body.parts[0][0].undefined is required',
      'body.parts[1] each value in nested property parts must be either object or array',
    ]);
    expect(ofWhole({ parts: [{ name: 'a', part: [] }] })).toEqual(['body.parts[0].part part must be an object']);
  });

  it('looks at nothing else of a list that is too long', () => {
    expect(ofWhole({ parts: [{}, {}, {}], other: 1 })).toEqual([
      'body.other is not a member of this request; leave it out',
      'body.parts parts must contain no more than 2 elements',
    ]);
  });

  it('names members that are not declared, twenty at most', () => {
    const wide = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`m${at}`, at]));
    expect(ofWhole(wide)).toHaveLength(20);
    expect(ofWhole({ parts: [{ name: 'a', constructor: 1 }] })).toEqual([
      'body.parts[0].constructor is not a member of this request; leave it out',
    ]);
    expect(ofWhole({ title: 5, either: { any: 1 }, other: 1 })[0]).toMatch('body.other');
  });

  it('keeps them where the class allows them, and checks its own all the same', () => {
    expect(readAs(Open, { other: 1 }, 'body')).toEqual({ other: 1 });
    expect(faultsOf(Open, { part: {}, constructor: 1 })).toEqual(['body.part.name is required']);
    const sent = JSON.parse('{"part":{},"__proto__":{"polluted":1}}') as object;
    expect(faultsOf(Open, sent)).toEqual(['body.part.name is required']);
    expect({}).not.toHaveProperty('polluted');
  });

  it('names the place of a whole number that lost digits', () => {
    const sent = { list: [{ n: 1 }, { n: 2 ** 53 }], far: 1e21 };
    expect(faultsOf(Free, { any: sent, later: sent })).toEqual([
      'body.any.list[1].n is a whole number past 2^53 - 1, which lost digits; send it as text',
    ]);
    expect(faultsOf(Free, { any: [] })).toEqual(['body.any any must be an object']);
    expect(faultsOf(Free, { any: { list: [2 ** 53 - 1, 0.5, '9007199254740993'] } })).toEqual([]);
  });

  it('refuses what a class takes that has no rules', () => {
    expect(faultsOf(Shown, { value: 1 })).toEqual(['body.undefined is required']);
  });
});
