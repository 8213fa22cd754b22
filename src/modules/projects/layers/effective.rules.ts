import { LAYER_ORIGINS, type LayerText } from './layers.types.js';

/** What holds of several layers, and what another of the same name took the place of. */
export interface InForce<Layer> {
  parts: Layer[];
  overridden: { layer: Layer; by: Layer }[];
}

type Ranked = Pick<LayerText, 'layer' | 'origin'>;
const rankOf = ({ origin }: Ranked): number => LAYER_ORIGINS.indexOf(origin);

/**
 * Of each name the layer of the narrowest origin holds: workspace < project < plane < session (D65). Parts come from
 * the widest origin to the narrowest, by name within one, so that what is more special is said later.
 */
export function inForce<Layer extends Ranked>(layers: readonly Layer[]): InForce<Layer> {
  const narrowest = new Map<string, Layer>();
  for (const one of layers) {
    const held = narrowest.get(one.layer);
    if (!held || rankOf(one) > rankOf(held)) narrowest.set(one.layer, one);
  }
  const sorted = [...layers].sort((a, b) => rankOf(a) - rankOf(b) || (a.layer < b.layer ? -1 : 1));
  return {
    parts: sorted.filter((one) => narrowest.get(one.layer) === one),
    overridden: sorted.flatMap((one) => {
      const by = narrowest.get(one.layer)!;
      return by === one ? [] : [{ layer: one, by }];
    }),
  };
}

/** One text of several, an empty line between two; an empty one says nothing and only overrides. */
export const mergeTexts = (texts: readonly string[]): string =>
  texts
    .map((text) => text.trimEnd())
    .filter((text) => text !== '')
    .map((text) => `${text}\n`)
    .join('\n');
