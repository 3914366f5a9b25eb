// Of what sort a box is, and whether it is checked, in one round trip.
el => ({ ...sort(el), checked: checked(el) })
