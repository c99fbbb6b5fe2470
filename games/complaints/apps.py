"""App configuration of complaints."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ComplaintsConfig(AppConfig):
    """What players complain of, the evidence, and what is decided on it."""

    name = "games.complaints"
    label = "complaints"
    verbose_name = _("Complaints")

    def ready(self) -> None:
        """Declare what is kept append-only, and what the nightly audit looks at."""
        from wallet import adjusting, audit, triggers

        triggers.guard_append_only("complaints.Evidence")
        triggers.guard_append_only("complaints.StaffAct")
        from games.complaints import books

        for name, check in books.CHECKS.items():
            audit.register(name, check)
        from accounts import devices
        from games.complaints import deciding, evidence, staff_log

        adjusting.note_with(staff_log.note_step)
        evidence.marks_from(devices.marks_of)
        deciding.shares_devices(devices.sharing)
