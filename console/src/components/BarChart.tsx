import { axisEnd, rectanglesOf, type Bar } from './bar-chart.ts';

interface BarChartProps {
  /** What is shown, as its heading says it. */
  label: string;
  /** What the labels of the bars are, as `Day`. */
  axis: string;
  /** The names of the amounts of each bar, from below. */
  series: readonly string[];
  bars: readonly Bar[];
  format?: (amount: number) => string;
}

const plain = (amount: number): string => amount.toLocaleString();

/** Amounts over time as bars, and the same as a table, which is what screen readers get. */
export function BarChart({ label, axis, series, bars, format = plain }: BarChartProps) {
  const end = axisEnd(Math.max(0, ...bars.map(({ amounts }) => amounts.reduce((sum, amount) => sum + amount, 0))));
  return (
    <figure className="chart">
      <figcaption>
        {label}
        {series.length > 1 && (
          <ul className="chart-legend">
            {series.map((name, index) => (
              <li key={name}>
                <span className={`chart-key series-${index}`} aria-hidden="true" /> {name}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      <div className="chart-plot" aria-hidden="true">
        <span className="chart-end number">{format(end)}</span>
        <span className="chart-zero number">{format(0)}</span>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none">
          {[0, 50, 100].map((y) => (
            <line key={y} x1="0" x2="100" y1={y} y2={y} />
          ))}
          {bars.map((bar, index) => (
            <g key={bar.label}>
              <title>
                {[bar.label, ...bar.amounts.map((amount, of) => `${series[of]}: ${format(amount)}`)].join('\n')}
              </title>
              {rectanglesOf(bar, index, bars.length, end).map((rectangle, of) => (
                <rect key={series[of]} className={`series-${of}`} {...rectangle} />
              ))}
            </g>
          ))}
        </svg>
        <span className="chart-first number">{bars[0]?.label}</span>
        <span className="chart-last number">{bars.at(-1)?.label}</span>
      </div>
      <ChartTable {...{ label, axis, series, bars, format }} />
    </figure>
  );
}

function ChartTable({ label, axis, series, bars, format = plain }: BarChartProps) {
  return (
    <details>
      <summary>{label} as a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{axis}</th>
            {series.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map(({ label: name, amounts }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {amounts.map((amount, of) => (
                <td key={series[of]} className="number">
                  {format(amount)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
