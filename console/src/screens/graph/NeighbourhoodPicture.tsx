import { useLocation } from 'wouter';
import { entityAddress, MOST_DRAWN, radialPlaces, type Neighbour } from './neighbourhood.ts';

const MARGIN = 80;
const SHOWN = 16;
/** On the side away from the centre, so that no line runs through a name. */
const [NAME_ABOVE, NAME_BELOW] = [-20, 28];
const short = (text: string) => (text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text);

/** An entity in the middle of those that it shares an edge with. The table next to it has the same. */
export function NeighbourhoodPicture({ kind, id, neighbours }: { kind: string; id: string; neighbours: Neighbour[] }) {
  const [, navigate] = useLocation();
  const places = radialPlaces(neighbours, { kind, id });
  const extent = Math.max(120, ...places.map(({ x, y }) => Math.max(Math.abs(x), Math.abs(y)))) + MARGIN;
  return (
    <figure className="graph">
      <svg viewBox={`${-extent} ${-extent} ${2 * extent} ${2 * extent}`} role="group" aria-label={`Around ${id}`}>
        {places.map((place) => (
          <line key={`${place.kind} ${place.id}`} x1={0} y1={0} x2={place.x} y2={place.y} />
        ))}
        <g className="centre">
          <circle r={14} />
          <text y={32}>{short(id)}</text>
        </g>
        {places.map((place) => {
          const to = entityAddress(place.kind, place.id);
          return (
            <a
              key={`${place.kind} ${place.id}`}
              href={`#${to}`}
              aria-label={`${place.kind} ${place.id}`}
              onClick={(event) => {
                if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                event.preventDefault();
                navigate(to);
              }}
            >
              <circle cx={place.x} cy={place.y} r={12} />
              <text x={place.x} y={place.y + (place.y < 0 ? NAME_ABOVE : NAME_BELOW)}>
                {short(place.id)}
              </text>
            </a>
          );
        })}
      </svg>
      {neighbours.length > MOST_DRAWN && (
        <figcaption className="quiet">At most {MOST_DRAWN} are drawn; the table has all that were loaded.</figcaption>
      )}
    </figure>
  );
}
