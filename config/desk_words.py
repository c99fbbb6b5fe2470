"""Words of the desk's framework (django-unfold) for which it brings no Chinese: our catalogues have them too."""

from django.utils.translation import gettext_noop as _

WORDS = (
    _("Apply Filters"),
    _("Date"),
    _("Date from"),
    _("Date to"),
    _("From"),
    _("Go back"),
    _("Next"),
    _("No data"),
    _("Previous"),
    _("Return to site"),
    _("Select value"),
    _("System"),
    _("Theme"),
    _("To"),
    _("Toggle password visibility"),
    _("Type to search"),
    _("Welcome back to"),
    _("You have been successfully logged out from the administration"),
)
