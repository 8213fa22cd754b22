import { z } from 'zod';
import { UserError } from '../../../common/user-error.js';
import { MODEL_CLASSES } from './model-classes.js';
import { CAPABILITY_CLASSES, type CapabilityClass, type ModelClasses } from './engrams.types.js';

const FORM = z.array(z.tuple([z.string().min(1).max(200), z.enum(CAPABILITY_CLASSES)])).max(1000);

/** @throws UserError naming the variable, where the text is no such list */
export function modelClassesOf(text: string | undefined): ModelClasses {
  if (text === undefined) return MODEL_CLASSES;
  try {
    return FORM.parse(JSON.parse(text));
  } catch (error) {
    const form = `expected a JSON list of [pattern, class], of the classes ${CAPABILITY_CLASSES.join(', ')}`;
    throw new UserError(`SVCD_MODEL_CLASSES cannot be used: ${form}`, { cause: error });
  }
}

/** The class of a model: that of the first pattern which fits; standard where none does, or no model is named. */
export function classOf(modelId: string | undefined, classes: ModelClasses): CapabilityClass {
  if (modelId === undefined) return 'standard';
  return classes.find(([pattern]) => fits(modelId, pattern))?.[1] ?? 'standard';
}

/** Whether a text is as a pattern says, whole and whatever its case; * stands for any characters. */
export function fits(text: string, pattern: string): boolean {
  const parts = pattern.toLowerCase().split('*');
  const whole = text.toLowerCase();
  const first = parts[0]!;
  const last = parts.at(-1)!;
  if (parts.length === 1) return whole === first;
  if (whole.length < first.length + last.length || !whole.startsWith(first) || !whole.endsWith(last)) return false;
  const end = whole.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = whole.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
