import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8');

interface Panel {
  targets?: { expr: string }[];
}

/** All expressions of the alerts, or of the panels, with the variables of Grafana replaced by what they may be. */
export function expressionsOf(what: 'rules' | 'dashboard'): string[] {
  if (what === 'rules')
    return (parse(read('prometheus/rules.yml')) as { groups: { rules: { expr: string }[] }[] }).groups.flatMap(
      ({ rules }) => rules.map(({ expr }) => expr),
    );
  const { panels } = JSON.parse(read('grafana/svc.json')) as { panels: Panel[] };
  return panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((expr) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'svc'));
}

/** Where an expression is none; undefined where it is one. */
export function faultOf(expression: string): number | undefined {
  let fault: number | undefined;
  parser.parse(expression).iterate({
    enter: ({ type, from }) => {
      if (type.isError) fault ??= from;
    },
  });
  return fault;
}

/** A metric that an expression selects, and the labels that it is selected or added up by. */
export interface Selected {
  metric: string;
  labels: string[];
}

/** The metrics of an expression. Labels that it groups by count for each of its metrics. */
export function selectedBy(expression: string): Selected[] {
  const found: Selected[] = [];
  const grouped: string[] = [];
  const textOf = ({ from, to }: { from: number; to: number }): string => expression.slice(from, to);
  parser.parse(expression).iterate({
    enter: (node) => {
      if (node.name === 'VectorSelector') {
        const name = node.node.getChild('Identifier');
        if (name) found.push({ metric: textOf(name), labels: [] });
      }
      if (node.name === 'LabelName' && node.node.parent?.name !== 'GroupingLabels')
        found.at(-1)?.labels.push(textOf(node));
      if (node.name === 'GroupingLabels')
        grouped.push(...node.node.getChildren('LabelName').map((label) => textOf(label)));
    },
  });
  return found.map(({ metric, labels }) => ({ metric, labels: [...labels, ...grouped] }));
}
