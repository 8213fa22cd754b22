"""Fields of an export put together again."""

from .canonical import need

MISSING = object()


class Tree:
    """Fields by their paths."""

    def __init__(self):
        self.members, self.leaf = {}, MISSING

    def put(self, path, value):
        place = self
        for step in path:
            need(place.leaf is MISSING, "two fields stand at the same path")
            place = place.members.setdefault((type(step), step), Tree())
        need(place.leaf is MISSING and not place.members, "two fields stand at the same path")
        place.leaf = value

    def at(self, *path):
        place = self
        for step in path:
            place = place.members.get((type(step), step))
            if place is None:
                return None
        return place

    def value(self, *path):
        place = self.at(*path)
        return MISSING if place is None else place.leaf

    def typed(self, kind, *path):
        value = self.value(*path)
        return value if isinstance(value, kind) and not isinstance(value, bool) else None

    def whole(self):
        """All that is shown below; MISSING where nothing is."""
        if self.leaf is not MISSING:
            return self.leaf
        parts = {key: member.whole() for key, member in self.members.items()}
        if not parts or any(part is MISSING for part in parts.values()):
            return MISSING
        if all(kind is int for kind, _ in parts):
            return [parts[key] for key in sorted(parts, key=lambda key: key[1])]
        return {str(step): part for (_, step), part in parts.items()}

    def whole_at(self, *path):
        place = self.at(*path)
        return MISSING if place is None else place.whole()
