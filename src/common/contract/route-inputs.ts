import type { Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ListPipe } from '../fields/list-body.js';
import type { RouteInputs } from './contract.js';

interface Argument {
  index: number;
  /** The one member that is taken, where it is not all of them. */
  data?: unknown;
  pipes: unknown[];
}

const PLACES = [
  ['path', RouteParamtypes.PARAM],
  ['query', RouteParamtypes.QUERY],
  ['body', RouteParamtypes.BODY],
] as const;

/** The classes of a handler's parameters, as its own decorators and types say. */
export function readInputs(target: object, name: string): RouteInputs {
  const types = Reflect.getMetadata('design:paramtypes', target, name) as Type[];
  const known = Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, name) as
    Record<string, Argument> | undefined;
  const inputs: RouteInputs = {};
  for (const [key, { index, data, pipes }] of Object.entries(known ?? {})) {
    const place = PLACES.find(([, kind]) => key.startsWith(`${kind}:`))?.[0];
    if (!place || data !== undefined) continue;
    const list = pipes.find((pipe) => pipe instanceof ListPipe);
    if (list) inputs.bodyList = { type: list.type, max: list.max };
    else inputs[place] = types[index]!;
  }
  return inputs;
}
