from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class AnnotationCodec:
    """Leaves the format of times to the standard library."""

    def format(self, instant):
        if instant is None:
            return None
        time = EPOCH + timedelta(microseconds=instant // 1000)
        return time.isoformat().replace("+00:00", "Z")

    def parse(self, text):
        try:
            return (datetime.fromisoformat(text) - EPOCH) // timedelta(microseconds=1) * 1000
        except (TypeError, ValueError):
            return None
